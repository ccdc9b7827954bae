import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

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
  /** JSON of what the room's code shows with it; `null` = nothing. */
  readonly metadata: string | null
}

/** The rows that the list routes show. */
export interface RoomLists {
  /**
   * The rows of a project, `lastSeen` descending, then `roomId`: a line each, as `RoomList` reads
   * them; "" = there are none. Rows as objects, or as JSON that PostgreSQL writes, cost several times
   * as much.
   */
  list(projectId: ProjectId, filter: RoomFilter): Effect.Effect<string>
  /** The public registry: rooms that are listed, in the order of their ids. */
  lobby(projectId: ProjectId): Effect.Effect<ReadonlyArray<LobbyRow>>
}

/** The queries of `RoomStore` behind the list routes. */
export const roomLists = (sql: SqlClient.SqlClient): RoomLists => {
  const filtered = ({ active, idleLongerThanMs }: RoomFilter, nowMs: number) => {
    const live = sql`(r.status not in ('hibernated', 'closed')
      and r.last_seen_ms > ${nowMs - RoomLimits.reportFresh.ms})`
    return sql.and([
      sql`not r.pruned`,
      sql`(r.entered or ${live})`,
      active === null ? sql`true` : active ? live : sql`not ${live}`,
      idleLongerThanMs === null ? sql`true` : sql`r.last_seen_ms < ${nowMs - idleLongerThanMs}`
    ])
  }

  // Nothing in it needs escaping: ids, words and durations are of a few characters.
  const line = sql.literal(
    `'"roomId":"' || r.room_id || '","status":"' || r.status || '","slot":' || coalesce(r.slot, 0)
      || E'\\t' || r.last_seen_ms || E'\\t"clients":' || r.clients
      || ',"maxClients":' || r.max_clients || ',"backfill":' || r.backfill
      || E'\\t' || coalesce(r.retention_override, '') || E'\\t' || r.type`
  )

  const list = Effect.fn("RoomStore.list")(function* (projectId: ProjectId, filter: RoomFilter) {
    const nowMs = yield* Clock.currentTimeMillis
    const [all] = yield* Effect.orDie(sql<{ readonly text: string | null }>`
      select string_agg(line, E'\\n') as text from (
        select ${line} as line from rooms r
        where r.project_id = ${projectId} and ${filtered(filter, nowMs)}
        order by r.last_seen_ms desc, r.room_id collate "C"
      ) listed`)
    return all?.text ?? ""
  })

  const lobby = Effect.fn("RoomStore.lobby")(function* (projectId: ProjectId) {
    const freshMs = (yield* Clock.currentTimeMillis) - RoomLimits.reportFresh.ms
    return yield* Effect.orDie(sql<LobbyRow>`
      select room_id as "roomId", type, clients, max_clients as "maxClients",
        lobby_metadata as metadata from rooms
      where project_id = ${projectId} and is_public and not pruned
        and (entered or last_seen_ms > ${freshMs})
      order by room_id collate "C" limit ${RoomLimits.lobbyRows.max}`)
  })

  return { list, lobby }
}
