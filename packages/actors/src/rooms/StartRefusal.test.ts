import { describe, expect, it } from "vitest"

import { ExitCauses } from "../process/ExitCause.ts"
import { StartFailed } from "../servers/ServerProtocol.ts"
import { isOfCode, isOfNeighbour, refusalAfter } from "./StartRefusal.ts"

describe("a process that ends at the start of a room", () => {
  it("[C-994] says something of the room's code unless something else has ended it", () => {
    const others = ExitCauses.filter((cause) => !isOfCode(refusalAfter({ cause, detail: "" })))
    expect(others).toEqual(["stopped", "pressure", "killed", "neighbour", "notStarted"])
  })

  it("[C-994] is taken for a fault of the code when it takes too long to start", () => {
    expect(isOfCode(new StartFailed({ message: "it takes too long" }))).toBe(true)
  })

  it("[C-994] keeps the room for a later wake where the machine has no process", () => {
    expect(refusalAfter({ cause: "notStarted", detail: "" })._tag).toBe("ServerWaking")
    expect(refusalAfter({ cause: "killed", detail: "" })._tag).toBe("StartFailed")
  })

  it("[C-973] keeps the room for a later wake where the process that it was to share has ended", () => {
    const refusal = refusalAfter({ cause: "neighbour", detail: "" })
    expect([refusal._tag, isOfNeighbour(refusal)]).toEqual(["ServerWaking", true])
    expect(isOfNeighbour(refusalAfter({ cause: "notStarted", detail: "" }))).toBe(false)
  })
})
