import { until } from "@atrium/domain/testing/Until"
import { expect, it } from "vitest"

import { objectKeys } from "../testing/ObjectWrites.ts"
import { onDatabase } from "../testing/onDatabase.ts"
import { codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()
const rooms = () => roomsOf(service)

const listedIds = async (): Promise<ReadonlyArray<unknown>> =>
  Object.values((await rooms().ask("")).body).map((row) => Object(row)["roomId"])

it("[rooms.get.rowless-hibernated] stored state without a row reads, is set, and is deleted", async () => {
  await rooms().asleep("rowless", 4)
  const before = await rooms().ask("/rowless")
  await onDatabase(service.databaseUrl, (sql) => sql`delete from rooms where room_id = 'rowless'`)
  const { status, body } = await rooms().ask("/rowless")
  expect([status, body["status"], body["type"]]).toEqual([200, "hibernated", "probe"])
  expect(body["stateBytes"]).toBe(before.body["stateBytes"])
  expect(body["saves"]).toBe(1)
  expect(await listedIds()).not.toContain("rowless")
  const set = await rooms().ask("/rowless", { method: "PATCH", body: { retention: "9h" } })
  expect([set.status, set.body["retentionOverride"]]).toEqual([200, "9h"])
  expect(await listedIds()).not.toContain("rowless")
  expect(await rooms().valueOf("rowless")).toBe(4)
  expect((await rooms().ask("/rowless")).body["retentionOverride"]).toBe("9h")
  const deleted = await rooms().ask("/rowless?force=true", { method: "DELETE" })
  expect(deleted.status).toBe(200)
})

it("[D-21] the registry of a project that is not there", async () => {
  const answer = await call(service.url, "/v1/lobby?project=p_ffffffffffffffff")
  expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
})

const remove = (roomId: string, query = "") =>
  rooms().ask(`/${roomId}${query}`, { method: "DELETE" })

it("[state.room.delete-asleep] a delete leaves no object, alarm or row of the room, and keeps the players", async () => {
  const room = await rooms().join("gone")
  await room.request("alarmIn", { ms: 3_600_000 })
  await room.request("save", {})
  await room.request("score", { by: 5 })
  await room.leave()
  await until("it sleeps", async () => (await rooms().status("gone")) === "hibernated")
  // A snapshot of another version, as a deployment leaves it behind.
  await onDatabase(
    service.databaseUrl,
    (sql) => sql`
        insert into objects (key, bytes, manifest, stored_at_ms)
        select replace(key, 'snapshot/0000000001', 'snapshot/0000000007'), bytes, manifest, 1
        from objects where key like '%/gone/snapshot/%'`
  )
  const keys = await objectKeys(service.databaseUrl, "/gone/")
  expect(keys.filter((key) => key.includes("/snapshot/"))).toHaveLength(2)
  expect(keys.length).toBeGreaterThanOrEqual(4)
  expect(keys.some((key) => key.endsWith("/alarm"))).toBe(true)
  const players = await onDatabase(service.databaseUrl, (sql) => sql`select * from players`)
  const answer = await remove("gone")
  expect(answer).toEqual({ status: 200, body: { roomId: "gone", objects: keys.length } })
  expect(await objectKeys(service.databaseUrl, "/gone/")).toEqual([])
  const alarms = await onDatabase(
    service.databaseUrl,
    (sql) => sql`select * from alarms where room_id = 'gone'`
  )
  expect(alarms).toEqual([])
  expect(await listedIds()).not.toContain("gone")
  expect(await onDatabase(service.databaseUrl, (sql) => sql`select * from players`)).toEqual(
    players
  )
  expect(codeOf(await remove("gone"))).toBe("E_ROOM_NOT_FOUND")
  // The same id is a fresh room.
  expect(await rooms().valueOf("gone")).toBe(0)
})
