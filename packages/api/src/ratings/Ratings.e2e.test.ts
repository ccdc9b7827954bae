import { until } from "@atrium/domain/testing/Until"
import { describe, expect, it } from "vitest"

import { rated } from "../testing/rooms/ratedSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

/** A project of its own with the room type `rated`, and a client in the room. */
const stage = async (room = "arena") => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "rated" } })
  const project = String(made.body["id"])
  expect((await deploy({ url, token, project }, ["rooms/rated.ts"])).status).toBe(201)
  const join = async (roomId: string) =>
    (await roomsOf({ url, token, project }).player()).joinOrCreate(rated, { roomId })
  return { project, join, client: await join(room) }
}

const results = (...players: ReadonlyArray<string>) =>
  players.map((player, index) => ({ player, place: index + 1 }))
const won = { rating: expect.closeTo(1662.2, 1), deviation: expect.closeTo(290.2, 1) }
const lost = { rating: expect.closeTo(1337.8, 1), deviation: expect.closeTo(290.2, 1) }
const newcomer = { rating: 1500, deviation: 350 }

describe("results that a room reports", () => {
  it("[rating.only-in-room] [C-593] move ratings once per id, although the room crashes and repeats", async () => {
    const { client, join } = await stage()
    expect(await client.request("get", { players: ["ann"] })).toEqual([
      { player: "ann", ...newcomer }
    ])
    const report = { id: "game 1", results: results("ann", "bob") }
    const ratings = [
      { player: "ann", ...won },
      { player: "bob", ...lost }
    ]
    expect(await client.request("report", report)).toEqual({ counted: true, ratings })
    const life = () => client.request("life", {}).catch(() => null)
    const before = await life()
    await client.request("crash", {})
    await until("another process", async () => {
      const now = await life()
      return now !== null && now.process !== before?.process
    })
    expect(await client.request("report", report)).toEqual({ counted: false, ratings })
    // A game of the same name in another room is another game.
    const elsewhere = await join("other")
    expect(await elsewhere.request("report", report)).toMatchObject({ counted: true })
    await elsewhere.leave()
    await client.leave()
  })

  it("[C-595] are rated in the queue of the room's type, or in another one that the project declares", async () => {
    const { client, project } = await stage()
    const { url, token } = service
    const read = (more: object) => client.request("get", { players: ["ann"], ...more })
    await client.request("report", { id: "1", results: results("ann", "bob") })
    expect(await read({ queue: "duel" })).toEqual([{ player: "ann", ...won }])
    expect(await read({ queue: "default" })).toEqual([{ player: "ann", ...newcomer }])
    await expect(read({ queue: "dule" })).rejects.toMatchObject({
      code: "E_RATING_QUEUE",
      message: "queue: the project declares no queue dule; see service.json"
    })
    const declared = await call(url, `/v1/projects/${project}`, {
      token,
      method: "PATCH",
      body: { name: "rated", queues: { dule: { size: 2 } } }
    })
    expect(declared.status).toBe(200)
    expect(await read({ queue: "dule" })).toEqual([{ player: "ann", ...newcomer }])
    await client.leave()
  })

  it("[rating.report.players] that do not fit are refused with the field, and move nothing", async () => {
    const { client } = await stage()
    await expect(
      client.request("report", { id: "1", results: results("ann") })
    ).rejects.toMatchObject({ code: "E_CALL_INVALID", message: expect.stringContaining("results") })
    await expect(
      client.request("report", { id: "1", results: [...results("ann"), { player: "bob" }] })
    ).rejects.toMatchObject({ code: "E_CALL_INVALID", message: expect.stringContaining("place") })
    expect(await client.request("get", { players: ["ann"] })).toEqual([
      { player: "ann", ...newcomer }
    ])
    await client.leave()
  })

  it("[C-595] are of one project: a player of the same id elsewhere is a newcomer", async () => {
    const [one, other] = [await stage(), await stage()]
    await one.client.request("report", { id: "1", results: results("ann", "bob") })
    expect(await other.client.request("get", { players: ["ann", "bob"] })).toEqual([
      { player: "ann", ...newcomer },
      { player: "bob", ...newcomer }
    ])
    await one.client.leave()
    await other.client.leave()
  })
})
