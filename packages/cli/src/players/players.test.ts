import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const route = `/v1/projects/${id}/players/a%2Fb`
const record = {
  playerId: "a/b",
  accountId: "ann",
  devices: [
    {
      deviceId: "dev_0123456789abcdef",
      identityId: "pl_1",
      label: "\u001b[2J",
      linkedAt: ago(7500)
    }
  ],
  ratings: [{ queue: "duel", rating: 1662.21, deviation: 290.23, ratedAt: ago(7500) }]
}

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const players = (...argv: ReadonlyArray<string>) =>
  runCommand(["players", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

describe("atrium players", () => {
  it("[C-807] get shows devices and ratings, and the player that the id is now", async () => {
    service.answer = () => ({ status: 200, body: record })
    const { code, out, err } = await players("get", "a/b")
    expect({ code, err }).toEqual({ code: 0, err: "its identity is a device of ann now" })
    expect(out.split("\n")).toEqual([
      "DEVICE                LABEL  WAS   LINKED",
      "dev_0123456789abcdef  \ufffd[2J   pl_1  2h ago",
      "QUEUE  RATING  DEVIATION  RATED",
      "duel   1662.2  290.2      2h ago"
    ])
    expect((await players("get", "a/b", "--json")).out).toBe(JSON.stringify(record))
    const none = { playerId: "a/b", accountId: "a/b", devices: [], ratings: [] }
    service.answer = () => ({ status: 200, body: none })
    expect(await players("get", "a/b")).toEqual({
      code: 0,
      out: "",
      err: "no devices and no ratings"
    })
  })

  it("[C-807] export joins all pages", async () => {
    const page = (key: string, next: string | null) => ({
      accountId: "a/b",
      playerId: "a/b",
      rows: { kv: [{ key }] },
      next
    })
    service.answer = ({ path }) => ({
      status: 200,
      body: path.endsWith("?after=x.y") ? page("two", null) : page("one", "x.y")
    })
    const { code, out } = await players("export", "a/b", "--json")
    expect({ code, whole: JSON.parse(out) }).toEqual({
      code: 0,
      whole: {
        accountId: "a/b",
        players: [{ playerId: "a/b", rows: { kv: [{ key: "one" }, { key: "two" }] } }]
      }
    })
    expect(asked()).toEqual([`GET ${route}/export`, `GET ${route}/export?after=x.y`])
  })

  it("[C-807] delete asks first, and says under which id the scores stay", async () => {
    expect(await players("delete", "a/b")).toMatchObject({ code: 2, out: "" })
    expect(asked()).toEqual([])
    const body = { accountId: "a/b", deleted: true, scoresKeptAs: "pl_0123456789abcdef" }
    service.answer = () => ({ status: 200, body })
    expect((await players("delete", "a/b", "--yes")).out).toBe(
      "deleted a/b; scores and ratings are kept as pl_0123456789abcdef"
    )
    expect((await players("delete", "a/b", "--yes", "--json")).out).toBe(JSON.stringify(body))
    expect(asked()).toEqual([`DELETE ${route}`, `DELETE ${route}`])
  })
})
