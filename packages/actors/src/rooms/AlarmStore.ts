import type { RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { atNow, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { byKey, rowKey } from "./MemoryRoomTable.ts"
import { readRoomKeys } from "./RoomSweeps.ts"

interface AlarmRow {
  readonly key: RoomKey
  readonly dueAtMs: number
}

/** When each room's next alarm is due, by the key of the room's row. */
export const alarmTable = new MemoryTable<AlarmRow>()

/**
 * When each room's next alarm is due: the index by which a sleeping room is woken. The alarms
 * themselves are in the room's sidecar object. A failing store is a defect.
 */
export class AlarmStore extends Context.Service<
  AlarmStore,
  {
    /** `null` = the room has no alarm any more. */
    setNext(key: RoomKey, dueAtMs: number | null): Effect.Effect<void>
    /** When the room's alarm rings; `null` = it has none. */
    next(key: RoomKey): Effect.Effect<number | null>
    /**
     * Makes the index agree with the alarms that a room starts with: who set them may have ended
     * before it came to that. One that was put off stays so.
     */
    settle(key: RoomKey, dueAtMs: number | null): Effect.Effect<void>
    /** Puts off an alarm that is due now; one that its room has set anew stays where it is. */
    postpone(
      key: RoomKey,
      span: { readonly nowMs: number; readonly untilMs: number }
    ): Effect.Effect<void>
    /** Rooms whose alarm is due, the longest overdue first, then by key. */
    due(nowMs: number, most: number): Effect.Effect<ReadonlyArray<RoomKey>>
  }
>()("@atrium/actors/rooms/AlarmStore") {
  static readonly layerSql = Layer.effect(
    AlarmStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const setNext = Effect.fn("AlarmStore.setNext")(function* (
        key: RoomKey,
        dueAtMs: number | null
      ) {
        yield* Effect.orDie(
          dueAtMs === null
            ? sql`delete from alarms
                where project_id = ${key.projectId} and room_id = ${key.roomId}`
            : sql`insert into alarms (project_id, room_id, due_at_ms)
                values (${key.projectId}, ${key.roomId}, ${dueAtMs})
                on conflict (project_id, room_id) do update set due_at_ms = excluded.due_at_ms`
        )
      })

      const settle = Effect.fn("AlarmStore.settle")(function* (
        key: RoomKey,
        dueAtMs: number | null
      ) {
        if (dueAtMs === null) return yield* setNext(key, null)
        const nowMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(
          sql`insert into alarms (project_id, room_id, due_at_ms)
              values (${key.projectId}, ${key.roomId}, ${dueAtMs})
              on conflict (project_id, room_id) do update
                set due_at_ms = least(alarms.due_at_ms, excluded.due_at_ms)
                where excluded.due_at_ms > ${nowMs}`
        )
      })

      const next = Effect.fn("AlarmStore.next")(function* (key: RoomKey) {
        const rows = yield* Effect.orDie(sql<{ readonly due_at_ms: bigint }>`
          select due_at_ms from alarms
          where project_id = ${key.projectId} and room_id = ${key.roomId}`)
        return rows[0] === undefined ? null : Number(rows[0].due_at_ms)
      })

      const postpone = Effect.fn("AlarmStore.postpone")(function* (
        key: RoomKey,
        { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number }
      ) {
        yield* Effect.orDie(
          sql`update alarms set due_at_ms = ${untilMs}
              where project_id = ${key.projectId} and room_id = ${key.roomId}
                and due_at_ms <= ${nowMs}`
        )
      })

      const due = Effect.fn("AlarmStore.due")((nowMs: number, most: number) =>
        readRoomKeys(sql`
          select project_id, room_id from alarms where due_at_ms <= ${nowMs}
          order by due_at_ms, project_id, room_id limit ${most}`)
      )

      return { setNext, next, settle, postpone, due }
    })
  )

  static readonly layerMemory = Layer.effect(
    AlarmStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const alarms = alarmTable.rowsIn(tables)
      const write = (key: RoomKey, dueAtMs: number | null) => {
        if (dueAtMs === null) alarms.delete(rowKey(key))
        else alarms.set(rowKey(key), { key, dueAtMs })
      }
      return {
        setNext: (key, dueAtMs) => ask("AlarmStore.setNext", () => write(key, dueAtMs)),
        next: (key) => ask("AlarmStore.next", () => alarms.get(rowKey(key))?.dueAtMs ?? null),
        settle: (key, dueAtMs) =>
          atNow({ ask })("AlarmStore.settle", (nowMs) => {
            const before = alarms.get(rowKey(key))
            if (dueAtMs === null || before === undefined) write(key, dueAtMs)
            else if (dueAtMs > nowMs) write(key, Math.min(before.dueAtMs, dueAtMs))
          }),
        postpone: (key, { nowMs, untilMs }) =>
          ask("AlarmStore.postpone", () => {
            const before = alarms.get(rowKey(key))
            if (before !== undefined && before.dueAtMs <= nowMs) write(key, untilMs)
          }),
        due: (nowMs, most) =>
          ask("AlarmStore.due", () =>
            [...alarms.values()]
              .filter(({ dueAtMs }) => dueAtMs <= nowMs)
              .sort((one, other) => one.dueAtMs - other.dueAtMs || byKey(one.key, other.key))
              .slice(0, most)
              .map(({ key }) => key)
          )
      }
    })
  )
}
