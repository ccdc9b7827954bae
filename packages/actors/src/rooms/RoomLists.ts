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

/** What has become of a list since a look before. */
export interface ListChanges {
  /** Where the next look goes on. */
  readonly mark: string
  /** Lines of rows that are listed: at least those that were written since the mark; "" = none. */
  readonly lines: string
  /** Rooms whose rows were written since the mark, and are not listed now. */
  readonly hidden: ReadonlyArray<string>
  /** Rows that are listed now. */
  readonly rows: number
}

/** The rows that the list routes show. */
export interface RoomLists {
  /**
   * The rows of a project, `lastSeen` descending, then `roomId`: a line each, as `RoomList` reads
   * them; "" = there are none. Rows as objects, or as JSON that PostgreSQL writes, cost several times
   * as much.
   */
  list(projectId: ProjectId, filter: RoomFilter): Effect.Effect<string>
  /**
   * The rows of the same list that were written since a mark. A row that is deleted, and one that the passing of
   * time has moved into the list or out of it, shows in the number of rows alone.
   *
   * @param mark `null` = since ever
   */
  changes(projectId: ProjectId, filter: RoomFilter, mark: string | null): Effect.Effect<ListChanges>
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
      || case when r.status = 'closed' and r.quarantined is not null
        then ',"quarantined":' || r.quarantined else '' end
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

  // A transaction that has not ended at a look may have written what that look did not see: the next one
  // goes on from the oldest of those.
  const changes = Effect.fn("RoomStore.changes")(function* (
    projectId: ProjectId,
    filter: RoomFilter,
    mark: string | null
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const fresh = mark === null ? sql`true` : sql`age(r.xmin) <= age((${mark}::text::xid8)::xid)`
    const [found] = yield* Effect.orDie(sql<ChangedRows>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as mark,
        count(*) filter (where shown)::integer as rows,
        string_agg(line, E'\\n') filter (where shown) as lines,
        coalesce(json_agg(room_id) filter (where fresh and not shown), '[]') as hidden
      from (
        select r.room_id, shown, fresh, case when fresh and shown then ${line} end as line
        from rooms r, lateral (select ${fresh} as fresh, ${filtered(filter, nowMs)} as shown) looked
        where r.project_id = ${projectId}
      ) changed`)
    return {
      mark: found?.mark ?? "0",
      lines: found?.lines ?? "",
      hidden: found?.hidden ?? [],
      rows: found?.rows ?? 0
    }
  })

  const lobby = Effect.fn("RoomStore.lobby")(function* (projectId: ProjectId) {
    const freshMs = (yield* Clock.currentTimeMillis) - RoomLimits.reportFresh.ms
    return yield* Effect.orDie(sql<LobbyRow>`
      select room_id as "roomId", type, clients, max_clients as "maxClients",
        lobby_metadata as metadata from rooms
      where project_id = ${projectId} and is_public and not pruned
        and (entered or last_seen_ms > ${freshMs})
        and (quarantined is null or status <> 'closed')
      order by room_id collate "C" limit ${RoomLimits.lobbyRows.max}`)
  })

  return { list, changes, lobby }
}

/** What a look at the changes of a list finds. */
interface ChangedRows {
  readonly mark: string
  readonly rows: number
  readonly lines: string | null
  readonly hidden: ReadonlyArray<string>
}
