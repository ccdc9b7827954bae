// @module-tag thorough

import { openSession } from "@atrium/api/testing/DatabaseSession"
import {
  type GivenPostgres,
  makeGivenPostgres,
  startOnPostgres
} from "@atrium/api/testing/GivenPostgres"
import { deployLedger, LedgerPlay } from "@atrium/api/testing/LedgerPlay"
import { stillRunning } from "@atrium/api/testing/ProcessTree"
import { RawClient } from "@atrium/api/testing/RawClient"
import { probe } from "@atrium/api/testing/rooms/probeSchema"
import { figureIn, metricsText } from "@atrium/api/testing/Runners"
import { call, type RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { Client, JoinError } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"

const play = new LedgerPlay("away")
let database: GivenPostgres
let service: RunningService
let remove: () => Promise<void>

const locks = `select pid, classid::bigint << 32 | objid::bigint as id from pg_locks
  where locktype = 'advisory' and granted`

const statusOf = async (path: string): Promise<number> =>
  (await fetch(`${service.url}${path}`)).status

const storeUp = async (): Promise<number | null> =>
  figureIn(await metricsText(service), "atrium_store_up")

const join = async (token: string) => {
  const address = service.url.replace(/^http/, "ws")
  const client = new RawClient(`${address}/v1/rooms/${service.project}/away`)
  const [, code] = await client.hello(token, "ledger")
  return { code, closed: (await client.closed).code }
}

beforeAll(async () => {
  ;({ database, service, remove } = await startOnPostgres(await makeGivenPostgres()))
  await deployLedger(service)
  await play.start(service, 2)
})

afterAll(async () => {
  play.abandon()
  await remove()
})

it("[C-45] while the store is away rooms go on, nothing is acknowledged as stored, the door says when to come back", async () => {
  const identity = await call(service.url, "/v1/identity", { body: { project: service.project } })
  const token = String(identity.body["token"])
  await until("some play", () => play.booked.size > 5 && play.stored.size > 5)
  await database.kill()
  await until("not ready", async () => (await statusOf("/ready")) === 503)
  const [booked, notes] = [play.booked.size, play.notes]
  expect(await statusOf("/health")).toBe(200)
  const refused = { error: { code: "E_NOT_READY", message: "the store does not answer" } }
  for (const [path, request] of [
    ["/v1/projects", { token: service.token }],
    ["/v1/identity", { body: { project: service.project } }]
  ] as const) {
    expect(await call(service.url, path, request)).toEqual({ status: 503, body: refused })
  }
  await until("the metric", async () => (await storeUp()) === 0)
  expect(await join(token)).toEqual({ code: "E_TENANT_WAKING", closed: 4503 })
  const room = play.rooms[0]
  await room?.request("ringIn", { ms: 3_600_000 })
  await until("an honest refusal", () => play.failures.has("E_NOT_STORED"))
  expect(play.notes).toBeGreaterThan(notes + 20)
  expect(play.booked.size).toBe(booked)
  await until("the line in the log", () => service.output().includes("the store does not answer"))
})

it("[C-45] when it is back everything goes on, and what waited is stored", async () => {
  const booked = play.booked.size
  await database.start()
  await until("ready", async () => (await statusOf("/ready")) === 200)
  await until("durable play", () => play.booked.size > booked + 5)
  expect(await play.contradictions(service)).toEqual([])
  expect(play.drops).toEqual([])
  expect([...play.failures]).toEqual(["E_NOT_STORED"])
  await until("the metric", async () => (await storeUp()) === 1)
  const { rows, close } = await openSession(database.url)
  await until("the alarm", async () => {
    const alarms = await rows("select 1 from alarms where room_id = 'away'")
    return alarms.length === 1
  })
  // The lock of the service was lost with its connection.
  await until("the lock", async () => (await rows(locks)).length === 1)
  await close()
})

it("[C-48] a store that fails while a room wakes is no crash of the room", async () => {
  const client = new Client(service.url, { project: service.project, reconnectForMs: 0 })
  const before = await client.joinOrCreate(probe, { roomId: "asleep" })
  await before.request("add", { by: 7 })
  await before.leave()
  const { rows, close } = await openSession(database.url)
  await until("its sleep", async () => {
    const asleep = "select 1 from rooms where room_id = 'asleep' and status = 'hibernated'"
    return (await rows(asleep)).length === 1
  })
  await rows("alter table objects rename to out_of_sight")
  const refused = await client.joinById("asleep", probe).then(
    () => "joined",
    (error: unknown) => (error instanceof JoinError ? error.code : error)
  )
  await rows("alter table out_of_sight rename to objects")
  await close()
  expect(refused).toBe("E_TENANT_WAKING")
  const after = await client.joinById("asleep", probe)
  expect(after.state.counter.value).toBe(7)
  await after.leave()
})

it("[C-47] a service whose database another has taken ends with one sentence and stores nothing", async () => {
  const [rival, hand] = [await openSession(database.url), await openSession(database.url)]
  const [held] = await hand.rows<{ readonly pid: number; readonly id: bigint }>(locks)
  if (held === undefined) throw new Error("nobody holds the lock")
  // It stands in line first, so that it has the lock before the service notices its loss.
  const waiting = rival.rows(`select pg_advisory_lock(${held.id})`)
  await until("the line", async () => {
    const line = await hand.rows(
      "select 1 from pg_locks where locktype = 'advisory' and not granted"
    )
    return line.length === 1
  })
  await hand.rows(`select pg_terminate_backend(${held.pid})`)
  await waiting
  await until("the end", () => stillRunning([service.pid]).length === 0)
  expect(await service.stop()).toBe(1)
  expect(service.output().split("\n").at(-2)).toBe(
    "atrium: Another Atrium has taken this database while it was out of reach; this one has ended."
  )
  expect(play.drops).toEqual([1012, 1012])
  expect(await hand.rows("select status from rooms where room_id = 'away'")).toEqual([
    { status: "awake" }
  ])
  await Promise.all([rival.close(), hand.close()])
})
