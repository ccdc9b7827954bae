import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { expect, it } from "vitest"

import { countObjectWrites, objectWrites, rowsOf, slowTables } from "../testing/ObjectWrites.ts"
import { onDatabase } from "../testing/onDatabase.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { figure } from "../testing/Runners.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

const newClient = (): Client => new Client(service.url, { project: service.project })

it("[C-55] 100 durable calls a second of four clients cost ten writes a second at most", async () => {
  await countObjectWrites(service.databaseUrl)
  const clients = await Promise.all(
    Array.from({ length: 4 }, () => newClient().joinOrCreate(probe, { roomId: "ledger" }))
  )
  const stored = 'atrium_snapshots_stored_total{cause="durable"}'
  const before = { writes: await writes(), metric: await figure(service, stored) }
  const startedAt = performance.now()
  const [beats, beatMs] = [75, 40]
  const answers: Array<Promise<{ readonly value: number }>> = []
  for (let beat = 0; beat < beats; beat++) {
    await until("the next beat", () => performance.now() >= startedAt + beat * beatMs)
    answers.push(...clients.map((client) => client.request("addDurably", { by: 1 })))
  }
  const values = (await Promise.all(answers)).map(({ value }) => value)
  const seconds = (performance.now() - startedAt) / 1000

  expect(values.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 4 * beats }, (_, index) => index + 1)
  )
  const cost = (await writes()) - before.writes
  expect(cost).toBeGreaterThan(0)
  // The windows that fit in, the first write, and one of the 10 s rhythm.
  expect(cost).toBeLessThanOrEqual((seconds * 1000) / RoomLimits.savesEvery.ms + 2)
  expect((await figure(service, stored)) - before.metric).toBeGreaterThanOrEqual(cost - 1)
  expect(await figure(service, "atrium_snapshot_store_seconds_count")).toBeGreaterThanOrEqual(cost)
  for (const client of clients) client.leave()
})

const writes = (): Promise<number> => objectWrites(service.databaseUrl, "/ledger/snapshot/")

it("[C-58] a durable call is answered when its player's fields and its alarm are stored, too", async () => {
  const room = await newClient().joinOrCreate(probe, { roomId: "promises" })
  await slowTables(service.databaseUrl, { tables: ["players", "alarms"], seconds: 0.5 })
  const stored = async () => [
    await rowsOf(service.databaseUrl, "players"),
    await rowsOf(service.databaseUrl, "alarms")
  ]
  expect(await stored()).toEqual([0, 0])
  await room.request("promise", { by: 3, ms: 3_600_000 })
  expect(await stored()).toEqual([1, 1])
  room.leave()
})

it("[C-446] a room whose write meets a later incarnation acknowledges nothing, and closes its clients with 1012", async () => {
  const room = await newClient().joinOrCreate(probe, { roomId: "superseded" })
  expect(await room.request("addDurably", { by: 1 })).toEqual({ value: 1 })
  const drop = new Promise<number>((resolve) => room.onDrop(resolve))
  // As a runner does that starts the room elsewhere.
  await onDatabase(
    service.databaseUrl,
    (sql) => sql`update rooms set epoch = epoch + 1 where room_id = 'superseded'`
  )
  const answer = room.request("addDurably", { by: 1 }).then(
    () => "acknowledged",
    ({ code }: { readonly code: string }) => code
  )
  expect(await drop).toBe(1012)
  expect(await answer).toBe("E_DISCONNECTED")
  await room.leave()
})
