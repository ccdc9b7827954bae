import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const row = {
  at: ago(7500),
  action: "room.delete",
  outcome: "done",
  project: id,
  target: "arena-2",
  actor: "key_0123456789abcdef",
  address: "192.0.2.1",
  requestId: "00112233445566ff"
}

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const audit = (...argv: ReadonlyArray<string>) =>
  runCommand(["audit", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const asked = (): ReadonlyArray<string> => service.requests.map(({ path }) => path)

describe("atrium audit", () => {
  it("[C-233] shows the actions on the project, in a table or as JSON", async () => {
    service.answer = () => ({ status: 200, body: [row] })
    const { code, out } = await audit()
    expect(code).toBe(0)
    expect(out).toMatch(/^WHEN +ACTION +TARGET +BY/)
    expect(out).toMatch(/\n2h ago +room\.delete +arena-2 +key_0123456789abcdef/)
    expect((await audit("--json")).out).toBe(JSON.stringify([row]))
    expect(asked()).toEqual(Array(2).fill(`/v1/projects/${id}/audit?limit=100`))
  })

  it("[C-233] asks for a span, a number, or the whole account", async () => {
    service.answer = () => ({ status: 200, body: [] })
    // The command reads the machine's clock: the span begins between here and its request.
    const before = Date.now()
    expect(await audit("--since", "2h", "--limit", "5")).toMatchObject({
      code: 0,
      out: "",
      err: "nothing was done"
    })
    const [path = ""] = asked()
    const query = new URL(path, "http://localhost").searchParams
    expect(query.get("limit")).toBe("5")
    const sinceMs = Date.parse(query.get("since") ?? "")
    expect(Math.abs(sinceMs + 7_200_000 - before)).toBeLessThan(60_000)
    await audit("--account", "--json")
    expect(asked()[1]).toBe("/v1/me/audit?limit=100")
    expect((await audit("--since", "yesterday")).code).toBe(2)
  })
})
