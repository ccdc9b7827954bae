// @module-tag thorough

import { until } from "@atrium/domain/testing/Until"
import { describe, expect, it } from "vitest"

import { sleep } from "../testing/load/Tasks.ts"
import { objectKeys, slowTables } from "../testing/ObjectWrites.ts"
import { onDatabase } from "../testing/onDatabase.ts"
import { codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()
const rooms = () => roomsOf(service)

/** Moves what is known and stored of rooms into the past: the first sweep comes with the start. */
const age = (roomIds: string, ms: number) =>
  onDatabase(
    service.databaseUrl,
    (sql) => sql`
      with aged as (
        update objects set stored_at_ms = stored_at_ms - ${ms}
        where key like ${`rooms/%/${roomIds}/%`}
      )
      update rooms set last_seen_ms = last_seen_ms - ${ms} where room_id like ${roomIds}`
  )

const set = (roomId: string, retention: string | null) =>
  rooms().ask(`/${roomId}`, { method: "PATCH", body: { retention } })

describe("the sweep", () => {
  it("[state.room.retention-sweep] a sweep that is killed in the middle is finished by the next", async () => {
    await rooms().asleep("many", 2)
    await rooms().asleep("kept", 3)
    await set("many", "1h")
    await age("many", 7_200_000)
    const copies = 400
    await onDatabase(
      service.databaseUrl,
      (sql) => sql`
        with copied as (
          insert into objects (key, bytes, manifest, stored_at_ms)
          select replace(key, '/many/', '/many-' || n || '/'), bytes, manifest, stored_at_ms
          from objects, generate_series(1, ${copies}) as n where key like '%/many/%'
        )
        insert into rooms select (rooms).* from (
          select jsonb_populate_record(r, jsonb_build_object('room_id', 'many-' || n)) as rooms
          from rooms r, generate_series(1, ${copies}) as n where room_id = 'many') made`
    )
    const left = async (): Promise<number> => {
      const keys = await objectKeys(service.databaseUrl, "/many")
      return new Set(keys.map((key) => key.split("/")[2])).size
    }
    await service.stop()
    // Each room has two: a sweep has a middle to be killed in.
    await slowTables(service.databaseUrl, { tables: ["objects"], seconds: 0.01 })
    let kills = 0
    for (; kills < 2; kills++) {
      await service.start()
      // In the middle, as far as that can be hit: some are gone, some are not.
      const before = await left()
      if (before === 0) break
      await until("the sweep has begun", async () => (await left()) < before)
      await service.stop("SIGKILL")
    }
    expect(kills).toBeGreaterThan(0)
    await onDatabase(service.databaseUrl, (sql) => sql`drop trigger take_time on objects`)
    await service.start()
    await until("all of them are gone", async () => (await left()) === 0)
    await until("their rows, too", async () => {
      const rows = await onDatabase(
        service.databaseUrl,
        (sql) => sql`select room_id from rooms where room_id like 'many%'`
      )
      return rows.length === 0
    })
    expect(codeOf(await rooms().ask("/many-7"))).toBe("E_ROOM_NOT_FOUND")
    expect(await rooms().valueOf("kept")).toBe(3)
  })
})

describe("a restore and a service that is killed", () => {
  it.each([0, 1200, 2100])(
    "[state.room.restore.discards-current] killed %i ms after it was queued: the old state or the restored, never neither",
    async (afterMs) => {
      const roomId = `crash-${afterMs}`
      await rooms().asleep(roomId, 5)
      const list = (await rooms().ask(`/${roomId}/saves`)).body
      const { saveId } = Object(Object.values(list)[0])
      const room = await rooms().join(roomId)
      await room.request("addDurably", { by: 60 })
      const asked = await rooms().ask(`/${roomId}/restore`, { body: { saveId } })
      expect(asked.status).toBe(202)
      // The moment is the point of this test, not a wait for something.
      await sleep(afterMs)
      await service.stop("SIGKILL")
      await room.leave().catch(() => undefined)
      const stored = await objectKeys(service.databaseUrl, `/${roomId}/snapshot/`)
      expect(stored).toHaveLength(1)
      await service.start()
      const reasons = async () =>
        Object.values((await rooms().ask(`/${roomId}/saves`)).body).map(
          (save) => Object(save).reason
        )
      await until("the restore is through", async () => (await reasons()).includes("restore"))
      expect(await rooms().valueOf(roomId)).toBe(5)
    }
  )
})
