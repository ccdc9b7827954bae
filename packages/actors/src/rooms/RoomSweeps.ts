import { retentionInForce, sweepMoments } from "@atrium/domain/rooms/Retention"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

import { readRows } from "../store/ReadRows.ts"

/** A room type that declares how long its rooms are kept. */
export interface DeclaredWindow {
  readonly projectId: ProjectId
  readonly type: string
  /** A duration, as the type declares it. */
  readonly retention: string
}

/** The moments and windows that a look for lapsed rooms uses. */
export interface LapsedQuery {
  readonly nowMs: number
  readonly declared: ReadonlyArray<DeclaredWindow>
  /** The last room of the batch before; `null` = the first batch. */
  readonly after: RoomKey | null
}

/** What the sweep and the restorer ask of many rows, in batches of `RoomLimits.sweepBatch`. */
export interface RoomSweeps {
  /**
   * Rooms that are not awake and probably past their retention, those that never let somebody in,
   * and those whose removal was cut short. Rooms in quarantine are left out. The room's own actor decides by what is
   * stored.
   */
  lapsed(query: LapsedQuery): Effect.Effect<ReadonlyArray<RoomKey>>
  /** Takes rows that were not reported for 30 days off the list, unless they are in quarantine; what is stored stays. */
  prune(nowMs: number): Effect.Effect<ReadonlyArray<RoomKey>>
  /** Removes pruned rows of rooms that have nothing stored. */
  forget(keys: ReadonlyArray<RoomKey>): Effect.Effect<void>
  /** Rooms whose restore is queued or under way. */
  readonly restoring: Effect.Effect<ReadonlyArray<RoomKey>>
}

/** The keys of rooms in the columns `project_id` and `room_id`. */
export const readRoomKeys = readRows(Schema.Struct({ projectId: ProjectId, roomId: RoomId }))

/** The queries of `RoomStore` that look for rooms to delete, prune or restore. */
export const roomSweeps = (sql: SqlClient.SqlClient): RoomSweeps => {
  const lapsed = Effect.fn("RoomStore.lapsed")(function* (query: LapsedQuery) {
    const { nowMs, declared, after } = query
    const { silentSinceMs, dueByMs } = sweepMoments(nowMs)
    const windows = declared.map(({ projectId, type, retention }) => {
      const { windowMs } = retentionInForce({ override: null, declared: retention })
      return { projectId, type, windowMs }
    })
    return yield* readRoomKeys(sql`
      select r.project_id, r.room_id from rooms r
      left join json_to_recordset(${JSON.stringify(windows)}::json)
        as declared("projectId" text, type text, "windowMs" bigint)
        on declared."projectId" = r.project_id and declared.type = r.type
      where (r.project_id, r.room_id) > (${after?.projectId ?? ""}, ${after?.roomId ?? ""})
        and (r.status in ('hibernated', 'closed')
          or r.last_seen_ms <= ${silentSinceMs})
        and (r.quarantined is null or r.status <> 'closed')
        and (r.state ->> '_tag' = 'Deleting'
          or not r.entered
          or r.last_seen_ms + case
              when r.retention_override is null then declared."windowMs"
              else r.retention_ms
            end <= ${dueByMs})
      order by r.project_id, r.room_id
      limit ${RoomLimits.sweepBatch.max}`)
  })

  const prune = Effect.fn("RoomStore.prune")(function* (nowMs: number) {
    return yield* readRoomKeys(sql`
      update rooms set pruned = true
      where (project_id, room_id) in (
        select project_id, room_id from rooms
        where not pruned and (quarantined is null or status <> 'closed')
          and last_seen_ms <= ${nowMs - RoomLimits.rowKept.ms}
        limit ${RoomLimits.sweepBatch.max}
        for update skip locked)
      returning project_id, room_id`)
  })

  const forget = Effect.fn("RoomStore.forget")(function* (keys: ReadonlyArray<RoomKey>) {
    if (keys.length === 0) return
    yield* Effect.orDie(sql`
      delete from rooms using json_to_recordset(${JSON.stringify(keys)}::json)
        as gone("projectId" text, "roomId" text)
      where rooms.project_id = gone."projectId" and rooms.room_id = gone."roomId" and pruned`)
  })

  const restoring = readRoomKeys(sql`
    select project_id, room_id from rooms
    where state ->> '_tag' in ('Restoring', 'Replacing')
    order by project_id, room_id limit ${RoomLimits.sweepBatch.max}`).pipe(
    Effect.withSpan("RoomStore.restoring")
  )

  return { lapsed, prune, forget, restoring }
}
