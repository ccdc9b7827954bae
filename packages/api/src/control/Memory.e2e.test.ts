import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { afterEach, beforeAll, describe, expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { exitCounts, hogProject, loggedEnd } from "../testing/HogStage.ts"
import { hog } from "../testing/rooms/hogSchema.ts"
import type { Answered } from "../testing/RoomsUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const running = sharedService("controlled")
const control = controlOf(running)
let service: typeof running
let pressed: string | null = null

beforeAll(async () => {
  service = await hogProject(running)
})

afterEach(async () => {
  if (pressed !== null) await press("none")
  await control.ask("clock/hold", { held: false })
})

/** One who is refused is told at once: it is not to try again. */
const join = (roomId: string, reconnectForMs = 0) =>
  new Client(service.url, { project: service.project, reconnectForMs }).joinOrCreate(hog, {
    roomId
  })

type Servers = ReadonlyArray<{ readonly id: string; readonly rooms: ReadonlyArray<string> }>

const serversNow = async (): Promise<Servers> => {
  const { body } = await control.ask("servers/list", { project: service.project })
  return Object(body["servers"])
}

const serverOf = async (roomId: string): Promise<string> => {
  const found = (await serversNow()).find(({ rooms }) => rooms.includes(roomId))
  if (found === undefined) throw new Error(`no server holds ${roomId}`)
  return found.id
}

const press = async (level: "none" | "high", roomId?: string): Promise<Answered> => {
  const server = roomId === undefined ? pressed : await serverOf(roomId)
  pressed = level === "high" ? server : null
  return control.ask("memory/pressure", { server, level })
}

describe("a server that is near its memory limit", () => {
  it("[memory.server.restarts-largest] restarts its largest room when none is empty, once, and the others go on", async () => {
    const [small, large] = [await join("small"), await join("large")]
    for (const room of [small, large]) await room.request("count", { by: 5 })
    large.send("run", { what: "hold" })
    // The answer shows that the room has carried out the messages before the call.
    await large.request("count", { by: 0 })
    const before = (await exitCounts(service.url)).get("pressure") ?? 0
    const from = service.output().length
    await press("high", "large")
    const end = () => loggedEnd(service.output().slice(from), "large")
    expect(await until("its end", end)).toBe("pressure")
    const value = await until("the counter", () =>
      large.request("count", { by: 0 }, { timeoutMs: 2000 }).then(
        (answer) => answer.value,
        () => null
      )
    )
    expect(value).toBe(5)
    // It stays near its limit for some looks more.
    for (let look = 0; look < 5; look++) await press("high", "large")
    expect((await exitCounts(service.url)).get("pressure")).toBe(before + 1)
    expect(loggedEnd(service.output().slice(from), "small")).toBeNull()
    expect((await small.request("count", { by: 1 })).value).toBe(6)
    for (const room of [small, large]) await room.leave()
  })
})
