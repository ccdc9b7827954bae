import { expect, test } from "vitest"

import { Client } from "../client/Client.ts"
import { FakeTime } from "../client/testing/FakeTime.ts"
import { around, top } from "./Leaderboard.ts"

const at = "2026-11-23T03:04:05.006Z"
const row = { rank: 1, playerId: "ann", score: 12, at }

/** A service with one answer. */
const stage = (answer: unknown, status = 200) => {
  const asked: Array<string> = []
  const port = new FakeTime().port({
    fetch: (input) => {
      asked.push(String(input).replace("http://rooms.example/v1/leaderboard/", ""))
      return Promise.resolve(Response.json(answer, { status }))
    }
  })
  return { asked, client: new Client("http://rooms.example", { project: "p_1" }, port) }
}

test("[D-34] reads the first scores, with a moment in each row", async () => {
  const { client, asked } = stage({ board: "kills", period: "2026-W48", rows: [row] })
  expect(await top(client, "kills")).toEqual({
    board: "kills",
    period: "2026-W48",
    rows: [{ ...row, at: new Date(at) }]
  })
  await top(client, "kills", { limit: 3, bucket: "eu", period: "2026-W47" })
  expect(asked).toEqual([
    "kills/top?project=p_1",
    "kills/top?project=p_1&limit=3&bucket=eu&period=2026-W47"
  ])
})

test("[D-34] reads the scores around a player, whatever the characters of the id", async () => {
  const { client, asked } = stage({ board: "kills", period: null, rows: [] })
  expect(await around(client, "kills", { playerId: "a/b?c", each: 2 })).toEqual({
    board: "kills",
    period: null,
    rows: []
  })
  expect(asked).toEqual(["kills/around/a%2Fb%3Fc?project=p_1&each=2"])
})

test("[D-34] rejects with the code of the service, and for an answer of another form", async () => {
  const refused = stage({ error: { code: "E_BOARD_UNKNOWN", message: "no" } }, 404)
  await expect(top(refused.client, "lost")).rejects.toMatchObject({ code: "E_BOARD_UNKNOWN" })
  for (const rows of [null, [{ ...row, at: "never" }], [{ ...row, rank: "1" }], [null]]) {
    const other = stage({ board: "kills", period: null, rows })
    await expect(top(other.client, "kills")).rejects.toMatchObject({ code: "E_PROTOCOL" })
  }
})
