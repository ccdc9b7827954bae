import { beforeEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import { rehearsalOf } from "../testing/RehearsalAnswer.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const service = serviceOfEachTest()
const game = gameOfEachTest()

const rehearse = (...argv: ReadonlyArray<string>) =>
  runCommand(["migrate", "rehearse", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url },
    stdin: ""
  })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

const routes = `/v1/projects/${id}/rehearsals`
const runs = { state: "running", rooms: { total: 50, done: 2, failed: 0, again: 0 } } as const

/** The service rehearses: it is over at the second look. */
const answering = (over: object): void => {
  let looks = 0
  service.answer = ({ method }) =>
    method === "POST" || ++looks < 2
      ? {
          status: method === "POST" ? 201 : 200,
          body: rehearsalOf({ ...runs, estimateMs: 61_000 })
        }
      : { status: 200, body: over }
}

const passed = rehearsalOf({
  state: "passed",
  rooms: { total: 50, done: 50, failed: 0, again: 2 },
  failures: [],
  failedRooms: []
})

beforeEach(() =>
  game.write({
    "service.json": `{"project":"${id}"}`,
    "room.ts": tinyRoom(),
    "migrations/0003-duel.ts": "export const planted = 'of the migration'"
  })
)

describe("migrate rehearse", () => {
  it("[C-714] says the estimate first, waits, and tells what the migrations do", async () => {
    answering(passed)
    const { code, out, err } = await rehearse()
    expect(code).toBe(0)
    expect(asked()).toEqual([
      `POST ${routes}`,
      `GET ${routes}/rh_0123456789abcdef`,
      `GET ${routes}/rh_0123456789abcdef`
    ])
    expect(service.requests[0]?.body).toContain("of the migration")
    expect(err).toBe("50 rooms to rehearse for version 3, in about 2min")
    expect(out.split("\n")).toEqual([
      "rooms    50 of 50 pass, 2 once more as they changed",
      "states   96 were led on, 4 are not led on",
      "bytes    2.0 KiB before, 3.0 KiB after",
      "wakes    take 3.2 ms more, 15.1 ms for good",
      "good (duel, version 2)",
      "  - fighters[1].hp: 50",
      "  + fighters[1].health: 0.5"
    ])
  })

  it("[C-714] ends with 1 when rooms fail, names each kind, and says how to see a room", async () => {
    answering(rehearsalOf())
    const { code, out, err } = await rehearse()
    expect(code).toBe(1)
    expect(out.split("\n")[0]).toBe("rooms    47 of 50 pass")
    expect(err.split("\n").slice(1)).toEqual([
      "E_REHEARSAL_FAILED: 3 of 50 rooms fail: bad-1, bad-2, bad-3",
      "  2 rooms: the migration to version 3 failed: bad-1 has fallen",
      "    at migrate (migrations/0003-duel.ts:9:13)",
      "    see one: atrium rooms saves bad-1",
      "  1 room: it takes more than 5000 ms",
      "    see one: atrium rooms saves get bad-3 sv_0123456789abcdef -o bad-3.save"
    ])
  })

  it("[C-714] --json is one line for machines, whether rooms fail or not", async () => {
    answering(passed)
    expect(await rehearse("--json")).toEqual({ code: 0, out: JSON.stringify(passed), err: "" })
    answering(rehearsalOf())
    const { code, out } = await rehearse("--json")
    expect([code, JSON.parse(out)]).toEqual([1, rehearsalOf()])
  })

  it("[C-710] --sample asks for some rooms, within their bounds", async () => {
    answering({ ...passed, sample: 1000 })
    expect((await rehearse("--sample", "1000")).out).toContain(", drawn by chance")
    expect(asked()[0]).toBe(`POST ${routes}?sample=1000`)
    for (const wrong of ["0", "1001", "x"]) expect((await rehearse("--sample", wrong)).code).toBe(2)
  })

  it("[C-714] --stop stops the one that is under way, and says when there is none", async () => {
    service.answer = ({ method }) => ({
      status: 200,
      body: method === "GET" ? [rehearsalOf(runs)] : rehearsalOf({ ...runs, state: "stopped" })
    })
    expect(await rehearse("--stop")).toMatchObject({
      code: 0,
      out: "stopped rh_0123456789abcdef: 2 of 50 rooms are through"
    })
    expect(asked()).toEqual([`GET ${routes}`, `POST ${routes}/rh_0123456789abcdef/stop`])
    service.answer = () => ({ status: 200, body: [passed] })
    expect(await rehearse("--stop")).toEqual({ code: 0, out: "", err: "no rehearsal is under way" })
  })

  it("[C-711] ends with 1 when the rehearsal was stopped or is outdated, and says why", async () => {
    answering(rehearsalOf({ state: "stopped" }))
    expect(await rehearse()).toMatchObject({
      code: 1,
      err: expect.stringContaining("was stopped; the same command goes on with it")
    })
    answering(rehearsalOf({ state: "outdated" }))
    expect(await rehearse()).toMatchObject({
      code: 1,
      err: expect.stringContaining("another version was deployed meanwhile")
    })
  })
})
