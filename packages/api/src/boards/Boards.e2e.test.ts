import { Client } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { scorer } from "../testing/rooms/scorerSchema.ts"
import { call, deploy, makeProject } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService("controlled")

const declare = async (project: string, boards: object) => {
  const { url, token } = service
  const { body } = await call(url, `/v1/projects/${project}`, { token })
  const patch = { token, method: "PATCH", body: { name: body["name"], boards } }
  const { status } = await call(url, `/v1/projects/${project}`, patch)
  if (status !== 200) throw new Error(`not declared: ${status}`)
}

const read = (path: string, project = service.project) =>
  call(service.url, `/v1/leaderboard/${path}${path.includes("?") ? "&" : "?"}project=${project}`)

const shown = async (path: string) => {
  const { status, body } = await read(path)
  expect(status).toBe(200)
  const rows: ReadonlyArray<Record<string, unknown>> = Object(body["rows"])
  return rows.map(({ rank, playerId, score }) => `${rank} ${playerId} ${score}`)
}

const scoring = async (roomId: string) => {
  const client = new Client(service.url, { project: service.project })
  const room = await client.joinOrCreate(scorer, { roomId })
  return { submit: (args: object): Promise<unknown> => room.request("submit", args), room }
}

beforeAll(async () => {
  const deployed = await deploy(service, ["rooms/probe.ts", "rooms/single.ts", "rooms/scorer.ts"])
  if (deployed.status !== 201) throw new Error(`not deployed: ${deployed.status}`)
  await declare(service.project, {
    kills: { direction: "higher" },
    coins: { direction: "higher", mode: "sum" },
    laps: { direction: "lower", period: "weekly", buckets: true }
  })
})

describe("a leaderboard", () => {
  it("[lb.score] [C-584] has what room code submitted, once for each id, also from a room that is back", async () => {
    const { submit, room } = await scoring("one")
    expect(await submit({ board: "kills", player: "ann", score: 7 })).toEqual({
      score: 7,
      changed: true
    })
    expect(await submit({ board: "kills", player: "ann", score: 3 })).toEqual({
      score: 7,
      changed: false
    })
    await submit({ board: "kills", player: "bob", score: -0 })
    await submit({ board: "kills", player: "cid", score: Number.MIN_SAFE_INTEGER })
    expect(await shown("kills/top")).toEqual([
      "1 ann 7",
      "2 bob 0",
      `3 cid ${Number.MIN_SAFE_INTEGER}`
    ])
    expect(await shown("kills/around/bob?each=1")).toHaveLength(3)
    expect(await shown("kills/around/nobody")).toEqual([])
    const coin = { board: "coins", score: 5, id: "match-1" }
    expect(await submit(coin)).toEqual({ score: 5, changed: true })
    await room.leave()
    const again = await scoring("one")
    const player = { player: room.playerId }
    expect(await again.submit({ ...coin, ...player })).toEqual({ score: 5, changed: false })
    expect(await again.submit({ ...coin, ...player, id: "match-2" })).toMatchObject({ score: 10 })
    await again.room.leave()
  })

  it.each([
    ["[C-586]", "E_BOARD_UNKNOWN", { board: "lost", player: "ann", score: 1 }],
    ["[lb.score]", "E_SCORE_INVALID", { board: "kills", player: "ann", score: 2 ** 53 }],
    ["[lb.score]", "E_SCORE_INVALID", { board: "kills", player: "ann", score: 0.5 }],
    ["[lb.score]", "E_SCORE_INVALID", { board: "kills", player: "ann", score: Number.NaN }],
    ["[D-52]", "E_CALL_INVALID", { board: "coins", player: "ann", score: 1 }],
    ["[C-585]", "E_CALL_INVALID", { board: "laps", player: "ann", score: 1 }],
    ["[C-585]", "E_CALL_INVALID", { board: "kills", player: "ann", score: 1, bucket: "eu" }],
    ["[C-585]", "E_CALL_INVALID", { board: "laps", player: "ann", score: 1, bucket: "EU" }],
    ["[C-586]", "E_CALL_INVALID", { board: "kills", player: "a\0b", score: 1 }]
  ])("%s refuses with %s what it does not take: %j", async (_id, code, args) => {
    const { submit, room } = await scoring("refused")
    await expect(submit(args)).rejects.toMatchObject({ code })
    await room.leave()
  })

  it("[boards.period.values] [boards.buckets.separates] is read by period and bucket", async () => {
    const { submit, room } = await scoring("laps")
    await submit({ board: "laps", player: "ann", score: 61, bucket: "eu" })
    await submit({ board: "laps", player: "bob", score: 60, bucket: "us" })
    const { body } = await read("laps/top?bucket=eu")
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(body).toEqual({
      board: "laps",
      period: expect.stringMatching(/^\d{4}-W\d\d$/),
      rows: [{ rank: 1, playerId: "ann", score: 61, at }]
    })
    expect(await shown(`laps/top?bucket=eu&period=${String(body["period"])}`)).toHaveLength(1)
    expect(await shown("laps/top?bucket=eu&period=2020-W01")).toEqual([])
    expect(await shown("laps/top?bucket=asia")).toEqual([])
    await room.leave()
  })

  it.each([
    ["lost/top", 404, "E_BOARD_UNKNOWN"],
    ["constructor/top", 404, "E_BOARD_UNKNOWN"],
    ["laps/top", 400, "E_BAD_REQUEST"],
    ["kills/top?bucket=eu", 400, "E_BAD_REQUEST"],
    ["kills/top?period=never", 400, "E_BAD_REQUEST"],
    ["kills/top?limit=101", 400, "E_BAD_REQUEST"],
    ["kills/around/ann?each=26", 400, "E_BAD_REQUEST"],
    ["kills/top?each=1", 400, "E_BAD_REQUEST"]
  ])("[lb.top.max] GET /v1/leaderboard/%s answers %i %s", async (path, status, code) => {
    expect(await read(path)).toMatchObject({ status, body: { error: { code } } })
  })

  it("[D-26] of a project that is not there is not found", async () => {
    const other = await makeProject(service.url, service.token)
    expect(await read("kills/top", "p_0000000000000000")).toMatchObject({
      status: 404,
      body: { error: { code: "E_NOT_FOUND" } }
    })
    expect(await read("kills/top", other)).toMatchObject({
      body: { error: { code: "E_BOARD_UNKNOWN" } }
    })
  })

  it("[C-587] takes no score at the storage cap, and is read", async () => {
    const { submit, room } = await scoring("walled")
    await submit({ board: "kills", player: "dan", score: 5 })
    const { url, token, project } = service
    const caps = (storageBytes: number | null) =>
      call(url, `/v1/projects/${project}/caps`, {
        token,
        method: "PATCH",
        body: { caps: { storageBytes } }
      })
    expect((await caps(0)).status).toBe(200)
    await expect(submit({ board: "kills", player: "dan", score: 6 })).rejects.toMatchObject({
      code: "E_CAP_REACHED"
    })
    expect(await shown("kills/around/dan?each=1")).toContainEqual(expect.stringContaining("dan 5"))
    await caps(null)
    expect(await submit({ board: "kills", player: "dan", score: 7 })).toMatchObject({ score: 7 })
    await room.leave()
  })

  it("[boards.removed-deleted-with-scores] is empty when it is declared anew", async () => {
    const { submit, room } = await scoring("removed")
    await declare(service.project, { gone: { direction: "higher" } })
    await submit({ board: "gone", player: "ann", score: 1 })
    await declare(service.project, {})
    await declare(service.project, { gone: { direction: "higher" } })
    expect(await shown("gone/top")).toEqual([])
    await room.leave()
  })
})
