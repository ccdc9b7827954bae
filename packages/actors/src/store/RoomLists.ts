import type { ProjectId } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

import type { DeclaredWindow } from "./RoomSweeps.ts"

/** Which rows of a project's list are wanted. Both filters combine. Spec: Rooms rule 2. */
export interface RoomFilter {
  /** Awake in a live server, or not; `null` = both. */
  readonly active: boolean | null
  /** Reported longer ago than this; `null` = all. */
  readonly idleLongerThanMs: number | null
}

/** A room that shows itself to players. Source: D-21. */
export interface LobbyRow {
  readonly roomId: string
  readonly type: string
  readonly clients: number
  readonly maxClients: number
}

/** What the list routes show. */
export interface RoomLists {
  /**
   * The rows of a project as JSON text, `lastSeen` descending, then `roomId`: pieces of at most
   * `Limits.listPage` rows, each without the brackets of an array. The database writes the text, so
   * that a long list costs this process little. Source: D-04, D-07.
   */
  list(
    projectId: ProjectId,
    filter: RoomFilter,
    declared: ReadonlyArray<DeclaredType>
  ): Effect.Effect<ReadonlyArray<string>>
  /** The public registry: rooms that are listed, in the order of their ids. */
  lobby(projectId: ProjectId): Effect.Effect<ReadonlyArray<LobbyRow>>
}

/** How long the rooms of a type are kept, as it declares it: text and milliseconds. */
export interface DeclaredType extends Omit<DeclaredWindow, "projectId"> {
  readonly retention: string
}

/** The queries of `RoomStore` behind the list routes. */
export const roomLists = (sql: SqlClient.SqlClient): RoomLists => {
  /** A moment as JSON text. What a database's formatting of dates costs is most of a row. */
  const iso = (ms: string) => {
    const moment = `timestamp '1970-01-01' + ${ms} * interval '1 millisecond'`
    const milliseconds = `lpad((${ms} % 1000)::text, 3, '0')`
    return sql.literal(`left(to_json(${moment})::text, 20) || '.' || ${milliseconds} || 'Z"'`)
  }
  const text = (column: string) => sql.literal(`coalesce('"' || ${column} || '"', 'null')`)

  const filtered = ({ active, idleLongerThanMs }: RoomFilter, nowMs: number) => {
    const live = sql`(r.status not in ('hibernated', 'closed')
      and r.last_seen_ms > ${nowMs - Limits.reportFresh.ms})`
    return sql.and([
      sql`not r.pruned`,
      active === null ? sql`true` : active ? live : sql`not ${live}`,
      idleLongerThanMs === null ? sql`true` : sql`r.last_seen_ms < ${nowMs - idleLongerThanMs}`
    ])
  }

  const list = Effect.fn("RoomStore.list")(function* (
    projectId: ProjectId,
    filter: RoomFilter,
    declared: ReadonlyArray<DeclaredType>
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    // Nothing in a row needs escaping: its ids, words and durations are of a few characters.
    const rows = yield* Effect.orDie(sql<{ readonly text: string }>`
      select string_agg(row, ',' order by place) as text from (
        select
          row_number() over (order by r.last_seen_ms desc, r.room_id collate "C") as place,
          '{"project":"' || r.project_id || '","roomId":"' || r.room_id
            || '","status":"' || r.status || '","slot":' || coalesce(r.slot, 0)
            || ',"lastSeen":' || ${iso("r.last_seen_ms")}
            || ',"clients":' || r.clients || ',"maxClients":' || r.max_clients
            || ',"backfill":' || r.backfill
            || ',"retention":' || case when r.retention_override = 'forever' then 'null'
              else ${text("coalesce(r.retention_override, declared.retention)")} end
            || ',"retentionOverride":' || ${text("r.retention_override")}
            || ',"deletesAt":' || case when r.retention_override = 'forever' then 'null'
              else coalesce(${iso('(r.last_seen_ms + coalesce(r.retention_ms, declared."windowMs"))')}, 'null') end
            || '}' as row
        from rooms r
        left join json_to_recordset(${JSON.stringify(declared)}::json)
          as declared(type text, retention text, "windowMs" bigint) on declared.type = r.type
        where r.project_id = ${projectId} and ${filtered(filter, nowMs)}
      ) listed
      group by (place - 1) / ${Limits.listPage.max}
      order by min(place)`)
    return rows.map(({ text }) => text)
  })

  const lobby = Effect.fn("RoomStore.lobby")(function* (projectId: ProjectId) {
    return yield* Effect.orDie(sql<LobbyRow>`
      select room_id as "roomId", type, clients, max_clients as "maxClients" from rooms
      where project_id = ${projectId} and is_public and not pruned
      order by room_id collate "C" limit ${Limits.lobbyRows.max}`)
  })

  return { list, lobby }
}
