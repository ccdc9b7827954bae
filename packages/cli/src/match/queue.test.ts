import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const queue = (...argv: ReadonlyArray<string>) =>
  runCommand(["queue", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })

describe("atrium queue", () => {
  it("[C-808] shows who waits, and why", async () => {
    const ticket = {
      playerId: "\u001b[2J",
      party: true,
      rating: 1500,
      since: ago(7500),
      expiresAt: ago(-7500),
      why: "the party has 1 of 2"
    }
    service.answer = () => ({ status: 200, body: [ticket] })
    const { code, out } = await queue("duo")
    expect({ code, lines: out.split("\n") }).toEqual({
      code: 0,
      lines: [
        "PLAYER  SINCE   PARTY  RATING  WHY",
        "\ufffd[2J    2h ago  yes    1500    the party has 1 of 2"
      ]
    })
    expect((await queue("--json")).out).toBe(JSON.stringify([ticket]))
    service.answer = () => ({ status: 200, body: [] })
    expect(await queue()).toEqual({ code: 0, out: "", err: "nobody waits" })
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /v1/projects/${id}/tickets?queue=duo`,
      `GET /v1/projects/${id}/tickets`,
      `GET /v1/projects/${id}/tickets`
    ])
  })
})
