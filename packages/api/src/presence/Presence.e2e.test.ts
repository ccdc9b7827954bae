import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { board } from "../testing/rooms/boardSchema.ts"
import { figure } from "../testing/Runners.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest({ env: { ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1" } })
let project: string

beforeAll(async () => {
  const { url, token } = service
  const { body } = await call(url, "/v1/projects", { token, body: { name: "present" } })
  project = String(body["id"])
  await deploy({ url, token, project }, ["rooms/boardSchema.ts"])
})

const ask = (query: string, of = project) =>
  call(service.url, `/v1/presence?project=${of}&${query}`)
const placesOf = (body: Record<string, unknown>) => {
  const rows: ReadonlyArray<Record<string, unknown>> = Object(body["players"])
  return rows.map(({ roomId }) => roomId)
}
const player = () => new Client(service.url, { project })
const enter = (client: Client, roomId: string) => client.joinOrCreate(board, { roomId })

describe("presence", () => {
  it("[D-32] tells the room of a player and since when, and null of everybody else", async () => {
    const sinceMs = Date.now()
    const ann = await enter(player(), "den")
    const { status, body } = await ask(`players=nobody,${ann.playerId},nobody`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      players: [
        { playerId: "nobody", roomId: null, since: null },
        { playerId: ann.playerId, roomId: "den" }
      ]
    })
    const since = Date.parse(Object(body["players"])[1].since)
    expect(since).toBeGreaterThanOrEqual(sinceMs)
    expect(since).toBeLessThanOrEqual(Date.now())
    expect(String(body["cursor"])).toMatch(/^[\w-]{16}$/)
    await ann.leave()
    const gone = await ask(`players=${ann.playerId}`)
    expect(placesOf(gone.body)).toEqual([null])
  })

  it("[C-560] tells of a player with a device in each of two rooms the one that was entered last", async () => {
    const both = player()
    const first = await enter(both, "first")
    const second = await enter(both, "second")
    expect(second.playerId).toBe(first.playerId)
    const where = async () => placesOf((await ask(`players=${first.playerId}`)).body)
    expect(await where()).toEqual(["second"])
    await second.leave()
    expect(await where()).toEqual(["first"])
    await first.leave()
  })

  it("[D-32] a watch is answered with the change, or unchanged after its time, with the same cursor", async () => {
    const ann = await enter(player(), "seen")
    const players = `players=${ann.playerId}`
    const { cursor } = (await ask(players)).body
    const waited = ask(`${players}&wait=30&cursor=${String(cursor)}`)
    const quiet = await ask(`${players}&wait=1&cursor=${String(cursor)}`)
    expect([quiet.status, quiet.body["cursor"]]).toEqual([200, cursor])
    await ann.leave()
    const leftMs = performance.now()
    const { body } = await waited
    expect(performance.now() - leftMs).toBeLessThan(1000)
    expect(placesOf(body)).toEqual([null])
    expect(body["cursor"]).not.toBe(cursor)
    // With a cursor of before, or none, there is nothing to wait for.
    const again = await Promise.all([
      ask(`${players}&wait=30&cursor=${String(cursor)}`),
      ask(`${players}&wait=30`)
    ])
    expect(again.map((answer) => answer.body)).toEqual([body, body])
  })

  it("[C-562] forgets a watch whose caller has left", async () => {
    const { cursor } = (await ask("players=nobody")).body
    const path = `/v1/presence?project=${project}&players=nobody&wait=30&cursor=${String(cursor)}`
    const caller = new AbortController()
    const waiting = () => figure(service, "atrium_presence_watches")
    const watch = fetch(`${service.url}${path}`, { signal: caller.signal }).catch(() => "left")
    await until("the watch waits", async () => (await waiting()) === 1)
    caller.abort()
    expect(await watch).toBe("left")
    await until("nobody waits", async () => (await waiting()) === 0)
  })

  it.each([
    "",
    "players=",
    "players=a,,b",
    `players=${Array.from({ length: 101 }, (_, at) => `p${at}`).join()}`,
    `players=${"x".repeat(257)}`,
    "players=a&wait=0",
    "players=a&wait=31",
    "players=a&wait=1.5",
    "players=a&wait=",
    "players=a&wait=1&cursor=x",
    "players=a&until=1"
  ])("[D-32] refuses %j", async (query) => {
    const { status, body } = await ask(query)
    expect([status, Object(body["error"]).code]).toEqual([400, "E_BAD_REQUEST"])
  })

  it("[D-32] takes 100 players, and ids of 256 bytes", async () => {
    const ids = Array.from({ length: 100 }, (_, at) => `p${at}`)
    expect(placesOf((await ask(`players=${ids.join()}`)).body)).toHaveLength(100)
    expect((await ask(`players=${"x".repeat(256)}&wait=30`)).status).toBe(200)
  })

  it("[D-26] a project that is not there is not found", async () => {
    const { status, body } = await ask("players=a", "p_0000000000000000")
    expect([status, Object(body["error"]).code]).toEqual([404, "E_NOT_FOUND"])
  })
})
