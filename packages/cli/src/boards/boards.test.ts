import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const kills = { direction: "higher" }
const coins = { direction: "higher", mode: "sum", period: "weekly", keep: 4, buckets: true }

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const boards = (...argv: ReadonlyArray<string>) =>
  runCommand(["boards", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })

/** The service keeps the boards that it is told, from these on. */
const keeping = (declared: object): void => {
  let kept: unknown = declared
  service.answer = ({ method, body }) => {
    if (method === "PATCH") kept = JSON.parse(body).boards
    const settings = { queues: {}, boards: kept, origins: [], audienceRole: null }
    const project = { id, name: "duel", plan: "card", createdAt: ago(1000), currentVersion: 1 }
    const defaults = { connectionsPerIpPerMin: null, vmMemMib: null, preRelease: false }
    return { status: 200, body: { ...project, ...settings, ...defaults, static: null } }
  }
}
const told = (): ReadonlyArray<unknown> =>
  service.requests
    .filter(({ method }) => method === "PATCH")
    .map(({ path, body }) => [path, JSON.parse(body)])
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

describe("atrium boards", () => {
  it("[C-650] list shows the boards that a project declares, with what is in force where nothing is said", async () => {
    keeping({ kills, coins })
    const { code, out } = await boards("list")
    expect({ code, lines: out.split("\n") }).toEqual({
      code: 0,
      lines: [
        "BOARD  FIRST   MODE  PERIOD    BUCKETS  KEEP",
        "kills  higher  best  all time  no",
        "coins  higher  sum   weekly    yes      4"
      ]
    })
    expect(JSON.parse((await boards("list", "--json")).out)).toEqual([
      { board: "kills", ...kills, mode: "best", period: null, buckets: false, keep: null },
      { board: "coins", ...coins }
    ])
    keeping({})
    expect(await boards("list")).toEqual({
      code: 0,
      out: "",
      err: "no boards: declare them in service.json, and deploy"
    })
  })

  it("[C-650] top and around read a board as players do", async () => {
    const rows = [{ rank: 3, playerId: "a/b\u001b[2J", score: -12, at: ago(7500) }]
    service.answer = () => ({ status: 200, body: { board: "coins", period: "2026-W48", rows } })
    const { out, err } = await boards("top", "coins", "--bucket", "desert", "--limit", "3")
    expect(err).toBe("period 2026-W48")
    expect(out.split("\n")).toEqual([
      "RANK  PLAYER   SCORE  SINCE",
      "3     a/b\ufffd[2J  -12    2h ago"
    ])
    const read = await boards("around", "coins", "a/b", "--period", "2026-W47", "--json")
    expect(JSON.parse(read.out)).toEqual({ board: "coins", period: "2026-W48", rows })
    service.answer = () => ({ status: 200, body: { board: "kills", period: null, rows: [] } })
    expect(await boards("top", "kills")).toEqual({ code: 0, out: "", err: "no scores" })
    expect(asked()).toEqual([
      `GET /v1/leaderboard/coins/top?project=${id}&bucket=desert&limit=3`,
      `GET /v1/leaderboard/coins/around/a%2Fb?project=${id}&period=2026-W47&each=5`,
      `GET /v1/leaderboard/kills/top?project=${id}&limit=10`
    ])
  })

  it("[C-650] delete takes a board out of those that are declared, and reset declares it again", async () => {
    keeping({ kills, coins })
    expect(await boards("reset", "coins", "--yes")).toMatchObject({ code: 0, out: "reset coins" })
    expect(JSON.parse((await boards("delete", "coins", "--yes", "--json")).out)).toEqual({
      board: "coins",
      deleted: true
    })
    const path = `/v1/projects/${id}`
    expect(told()).toEqual([
      [path, { name: "duel", boards: { kills } }],
      [path, { name: "duel", boards: { kills, coins } }],
      [path, { name: "duel", boards: { kills } }]
    ])
  })

  it("[C-650] a reset that ends half way says how the board comes back", async () => {
    keeping({ kills })
    const keeps = service.answer
    service.answer = (request) =>
      told().length === 2 ? refusal(503, "E_NOT_READY", "not ready") : keeps(request)
    const { code, err } = await boards("reset", "kills", "--yes")
    expect(code).toBe(1)
    expect(err).toContain('deploy: {"kills":{"direction":"higher"}}\n')
    expect(err).toContain("E_NOT_READY: not ready")
  })

  it("[D-41] wrong use changes nothing, and a refusal is told", async () => {
    keeping({ kills })
    for (const argv of [
      ["delete", "kills"],
      ["reset", "constructor", "--yes"],
      ["delete", "coins", "--yes"],
      ["top", ".."],
      ["top", "kills", "--limit", "101"],
      ["around", "kills"]
    ]) {
      expect(await boards(...argv)).toMatchObject({ code: 2, out: "" })
    }
    expect(told()).toEqual([])
    service.answer = () => refusal(404, "E_BOARD_UNKNOWN", "board: the project declares no board")
    expect(await boards("top", "coins")).toMatchObject({
      code: 1,
      err: "E_BOARD_UNKNOWN: board: the project declares no board\n`atrium boards list` shows those that there are"
    })
  })
})
