import { LifeNote } from "@atrium/domain/life/LifeEvent"
import { LifeLimits } from "@atrium/domain/life/LifeLimits"
import { lineIdAt } from "@atrium/domain/logs/LogLine"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { projectIn } from "../projects/ProjectStore.ts"
import { atNow, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"

/** An event of a room's life. Its id is a moment and a place within that moment, as that of a log line is. */
export interface StoredLife {
  readonly projectId: ProjectId
  readonly roomId: string
  readonly eventId: number
  readonly note: LifeNote
}

/** By project, room and id. */
export const lifeTable = new MemoryTable<StoredLife>()

const readEvents = readRows(Schema.Struct({ eventId: Schema.Int, note: LifeNote }))

/** The least id of an event that is shown. */
const oldestShown = (nowMs: number): number => lineIdAt(nowMs - LifeLimits.lifeKept.ms + 1)

/** What happened to rooms. A failing store is a defect. Source: C-772. */
export class LifeStore extends Context.Service<
  LifeStore,
  {
    /** Adds events, those of deleted projects left out. One that is there already stays as it is. */
    append(events: ReadonlyArray<StoredLife>): Effect.Effect<void>
    /** The newest events of a room that are shown, the newest first. */
    read(key: RoomKey): Effect.Effect<ReadonlyArray<Pick<StoredLife, "eventId" | "note">>>
    /** Removes the life of a room that is deleted. */
    remove(key: RoomKey): Effect.Effect<void>
    /** Removes events that are shown no more. @returns how many */
    removeOld: Effect.Effect<number>
  }
>()("@atrium/actors/life/LifeStore") {
  static readonly layerSql = Layer.effect(
    LifeStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const append = Effect.fn("LifeStore.append")(function* (events: ReadonlyArray<StoredLife>) {
        if (events.length === 0) return
        // Notes stay text up to their place: PostgreSQL takes no NUL out of JSON that it takes apart.
        yield* Effect.orDie(sql`
          insert into room_lives (project_id, room_id, event_id, note)
          select given.project_id, given.room_id, given.event_id, given.note::json
          from unnest(
            ${events.map(({ projectId }) => projectId)}::text[],
            ${events.map(({ roomId }) => roomId)}::text[],
            ${events.map(({ eventId }) => BigInt(eventId))}::bigint[],
            ${events.map(({ note }) => JSON.stringify(note))}::text[]
          ) as given (project_id, room_id, event_id, note)
          join projects on projects.project_id = given.project_id
          where projects.deleted_at_ms is null
          on conflict do nothing`)
      })

      const read = Effect.fn("LifeStore.read")(function* ({ projectId, roomId }: RoomKey) {
        const leastId = oldestShown(yield* Clock.currentTimeMillis)
        return yield* readEvents(sql`
          select event_id, note from room_lives
          where project_id = ${projectId} and room_id = ${roomId}
            and event_id >= ${BigInt(leastId)}
          order by event_id desc limit ${LifeLimits.lifeEvents.max}`)
      })

      const remove = Effect.fn("LifeStore.remove")(function* ({ projectId, roomId }: RoomKey) {
        yield* Effect.orDie(sql`
          delete from room_lives where project_id = ${projectId} and room_id = ${roomId}`)
      })

      const removeOld = Effect.gen(function* () {
        const leastId = oldestShown(yield* Clock.currentTimeMillis)
        const rows = yield* Effect.orDie(sql<{ readonly removed: number }>`
          with old as (
            select ctid from room_lives where event_id < ${BigInt(leastId)}
            limit ${LifeLimits.lifeSweep.max}
          ), gone as (
            delete from room_lives where ctid = any (array(select ctid from old)) returning 1
          )
          select count(*)::integer as removed from gone`)
        return rows[0]?.removed ?? 0
      }).pipe(Effect.withSpan("LifeStore.removeOld"))

      return { append, read, remove, removeOld }
    })
  )

  static readonly layerMemory = Layer.effect(
    LifeStore,
    Effect.map(MemoryDatabase, (database) => {
      const { tables, ask } = database
      const rows = lifeTable.rowsIn(tables)
      const isOf = (key: RoomKey) => (row: StoredLife) =>
        row.projectId === key.projectId && row.roomId === key.roomId
      const removeAll = (which: (row: StoredLife) => boolean): number => {
        const gone = [...rows].filter(([, row]) => which(row))
        for (const [id] of gone) rows.delete(id)
        return gone.length
      }
      return {
        append: (events) =>
          ask("LifeStore.append", () => {
            for (const event of events) {
              const id = `${event.projectId}/${event.roomId}/${event.eventId}`
              if (projectIn(tables, event.projectId) !== null && !rows.has(id)) rows.set(id, event)
            }
          }),
        read: (key) =>
          atNow(database)("LifeStore.read", (nowMs) =>
            [...rows.values()]
              .filter((row) => isOf(key)(row) && row.eventId >= oldestShown(nowMs))
              .sort((one, other) => other.eventId - one.eventId)
              .slice(0, LifeLimits.lifeEvents.max)
              .map(({ eventId, note }) => ({ eventId, note }))
          ),
        remove: (key) => ask("LifeStore.remove", () => void removeAll(isOf(key))),
        removeOld: atNow(database)("LifeStore.removeOld", (nowMs) =>
          removeAll(({ eventId }) => eventId < oldestShown(nowMs))
        )
      }
    })
  )
}
