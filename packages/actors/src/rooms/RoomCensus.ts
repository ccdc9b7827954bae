import { type ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The report of a server on an awake room, every few seconds. */
export interface RoomReport extends RoomKey {
  readonly epoch: number
  readonly clients: number
  /** It has let somebody in. */
  readonly entered: boolean
}

/** How many rooms of a project are in a status. */
export interface ProjectCount {
  readonly projectId: string
  readonly status: string
  readonly rooms: number
}

/** Versions before one, and not older than another. */
export interface OlderVersions {
  readonly from: number
  readonly below: number
}

/** Questions and reports about many rooms at once. */
export interface RoomCensus {
  report(reports: ReadonlyArray<RoomReport>): Effect.Effect<void>
  /**
   * Rooms of a project that are up, or on their way, on one of these versions.
   * @param staying types whose rooms may stay on the version that they have
   */
  upOnOlder(
    projectId: ProjectId,
    versions: OlderVersions,
    staying?: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<RoomKey>>
  /** Rooms of a project that are up, or on their way. */
  up(projectId: ProjectId): Effect.Effect<ReadonlyArray<RoomKey>>
  /** How many rooms of a project are up, or on their way, by the version that they run. */
  upByVersion(projectId: ProjectId): Effect.Effect<ReadonlyMap<number, number>>
  /** How many rooms of each of these projects are in each status; those of none are left out. */
  countByProject(projectIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<ProjectCount>>
  /** How many rooms are in each status, over all projects. */
  readonly countByStatus: Effect.Effect<ReadonlyArray<{ status: string; rooms: number }>>
}

/** The queries of `RoomStore` that reach over many rows. */
export const roomCensus = (sql: SqlClient.SqlClient): RoomCensus => {
  const report = Effect.fn("RoomStore.report")(function* (reports: ReadonlyArray<RoomReport>) {
    if (reports.length === 0) return
    const nowMs = yield* Clock.currentTimeMillis
    const rows = JSON.stringify(reports)
    yield* Effect.orDie(sql`
      update rooms set clients = report.clients, last_seen_ms = ${nowMs},
        entered = rooms.entered or report.entered
      from json_to_recordset(${rows}::json)
        as report("projectId" text, "roomId" text, epoch bigint, clients integer,
          entered boolean)
      where rooms.project_id = report."projectId" and rooms.room_id = report."roomId"
        and rooms.epoch = report.epoch
        and rooms.status not in ('hibernated', 'closed')`)
  })

  const upOnOlder = Effect.fn("RoomStore.upOnOlder")(function* (
    projectId: ProjectId,
    { from, below }: OlderVersions,
    staying: ReadonlyArray<string> = []
  ) {
    const rows = yield* Effect.orDie(sql<{ readonly room_id: string }>`
      select room_id from rooms
      where project_id = ${projectId} and status not in ('hibernated', 'closed')
        and (state #>> '{at,version}')::integer >= ${from}
        and (state #>> '{at,version}')::integer < ${below} and branch is null
        and not (${JSON.stringify(staying)}::jsonb ? (state #>> '{at,type}'))
      order by room_id`)
    return rows.map((row) => ({ projectId, roomId: RoomId.make(row.room_id) }))
  })

  const up = Effect.fn("RoomStore.up")(function* (projectId: ProjectId) {
    const rows = yield* Effect.orDie(sql<{ readonly room_id: string }>`
      select room_id from rooms
      where project_id = ${projectId} and status not in ('hibernated', 'closed')
      order by room_id`)
    return rows.map((row) => ({ projectId, roomId: RoomId.make(row.room_id) }))
  })

  const countByProject = Effect.fn("RoomStore.countByProject")(function* (
    projectIds: ReadonlyArray<string>
  ) {
    if (projectIds.length === 0) return []
    const rows = yield* Effect.orDie(sql<{
      readonly project_id: string
      readonly status: string
      readonly rooms: bigint
    }>`
      select project_id, status, count(*) as rooms from rooms
      where ${sql.in("project_id", projectIds)} and not pruned
        and (entered or status not in ('hibernated', 'closed'))
      group by project_id, status order by project_id, status`)
    return rows.map((row) => ({
      projectId: row.project_id,
      status: row.status,
      rooms: Number(row.rooms)
    }))
  })

  const countByStatus = sql<{ readonly status: string; readonly rooms: bigint }>`
    select status, count(*) as rooms from rooms
    where not pruned and (entered or status not in ('hibernated', 'closed'))
    group by status order by status`.pipe(
    Effect.orDie,
    Effect.map((rows) => rows.map(({ status, rooms }) => ({ status, rooms: Number(rooms) })))
  )

  return { report, upOnOlder, up, upByVersion: upByVersionIn(sql), countByProject, countByStatus }
}

const upByVersionIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoomStore.upByVersion")(function* (projectId: ProjectId) {
    const rows = yield* Effect.orDie(sql<{ readonly version: number; readonly rooms: bigint }>`
    select (state #>> '{at,version}')::integer as version, count(*) as rooms from rooms
    where project_id = ${projectId} and status not in ('hibernated', 'closed')
      and state #>> '{at,version}' is not null
    group by 1`)
    return new Map(rows.map(({ version, rooms }) => [version, Number(rooms)]))
  })
