import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

import { databaseNowMs } from "../store/DatabaseClock.ts"
import type { ServerFill } from "./ServerFills.ts"
import { nthOf } from "./ServerIndex.ts"
import type { Seen, SeenHome, SeenServer } from "./ServerPlacing.ts"

/** A server that is to be started, and the row that it is to take the place of. */
export interface Claim {
  readonly projectId: string
  readonly nth: number
  readonly home: number
  readonly instead: SeenServer | null
}

/** Which server of a project is on which runner, and how full it is. */
export class ServerPlaces extends Context.Service<
  ServerPlaces,
  {
    /** What a placing of the room has to know: one question. */
    look(key: RoomKey, cost: number): Effect.Effect<Seen, SqlError>
    /** Gives a server its runner; false = another placing has changed it since it was looked at. */
    claim(claim: Claim): Effect.Effect<boolean, SqlError>
    /** How full servers of one home are now. */
    report(home: number, fills: ReadonlyArray<ServerFill>): Effect.Effect<void, SqlError>
    /**
     * The next start of the room is on that runner, if it is within {@link FleetLimits.roomSent} and the runner
     * is open then. @returns false when no such runner lives
     */
    send(key: RoomKey, runner: string): Effect.Effect<boolean, SqlError>
    /** The runner that has the home; `null` = there is no such home. */
    runnerOf(home: number): Effect.Effect<string | null, SqlError>
  }
>()("@atrium/actors/servers/ServerPlaces") {
  static readonly layerSql = Layer.effect(
    ServerPlaces,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      look: looking(sql),
      claim: Effect.fn("ServerPlaces.claim")(function* ({ projectId, nth, home, instead }: Claim) {
        const rows = yield* sql`
          insert into servers (project_id, nth, home, cost, since_ms)
          values (${projectId}, ${nth}, ${home}, 0, ${databaseNowMs(sql)})
          on conflict (project_id, nth) do update
            set home = excluded.home, cost = 0, since_ms = excluded.since_ms
            where servers.home = ${instead?.home ?? -1} and servers.since_ms = ${instead?.sinceMs ?? -1}
          returning nth`
        return rows.length > 0
      }),
      report: Effect.fn("ServerPlaces.report")(function* (
        home: number,
        fills: ReadonlyArray<ServerFill>
      ) {
        const projects = fills.map(({ projectId }) => projectId)
        const nths = fills.map(({ index }) => nthOf(index))
        const costs = fills.map(({ cost }) => cost)
        yield* sql`
          update servers set cost = told.cost,
            since_ms = case when told.cost = 0 then ${databaseNowMs(sql)} else since_ms end
          from unnest(${projects}::text[], ${nths}::integer[], ${costs}::integer[])
            as told (project_id, nth, cost)
          where servers.project_id = told.project_id and servers.nth = told.nth
            and servers.home = ${home} and servers.cost <> told.cost`
      }),
      send: Effect.fn("ServerPlaces.send")(function* (key: RoomKey, runner: string) {
        const rows = yield* sql`
          with lapsed as (delete from sent_rooms where until_ms <= ${databaseNowMs(sql)})
          insert into sent_rooms (project_id, room_id, home, until_ms)
          select ${key.projectId}, ${key.roomId}, home, ${databaseNowMs(sql)} + ${FleetLimits.roomSent.ms}
          from homes where runner = ${runner} and ended_at_ms is null
          on conflict (project_id, room_id) do update
            set home = excluded.home, until_ms = excluded.until_ms
          returning home`
        return rows.length > 0
      }),
      runnerOf: (home) =>
        Effect.map(
          sql<{ readonly runner: string }>`select runner from homes where home = ${home}`,
          ([row]) => row?.runner ?? null
        )
    }))
  )
}

/** A server that starts counts as much as a room of the smallest class until its runner reports itself. */
const startedLoad = RoomClasses.standard.cost

const looking = (sql: SqlClient.SqlClient) =>
  Effect.fn("ServerPlaces.look")(function* ({ projectId, roomId }: RoomKey, cost: number) {
    const spare = sql`cost = 0 and since_ms <= ${databaseNowMs(sql)} - ${ServerLimits.serverEmpty.ms}
      or not exists (select from homes where homes.home = servers.home and ended_at_ms is null)`
    const columns = sql`nth, home, cost, since_ms as "sinceMs", ${spare} as spare`
    // 114 is the condition of the index servers_with_room.
    const [row] = yield* sql<Row>`
      select
        (select plan from projects where project_id = ${projectId}) as plan,
        (select max(nth) from servers where project_id = ${projectId}) as last,
        (select home from sent_rooms where project_id = ${projectId} and room_id = ${roomId}
          and until_ms > ${databaseNowMs(sql)}) as sent_to,
        (select coalesce(json_agg(s), '[]') from (
          select ${columns} from servers where project_id = ${projectId} and nth = 0
          union all
          (select ${columns} from servers where project_id = ${projectId} and nth > 0
            and cost <= 114 and cost <= ${ServerLimits.serverBudget.max - cost}
          order by nth limit ${ServerLimits.serversLooked.max})
        ) s) as servers,
        (select coalesce(json_agg(h), '[]') from (
          select homes.home, setting, free_bytes as "freeBytes", load + ${startedLoad} * (
            select count(*) from servers where servers.home = homes.home
              and servers.cost = 0 and since_ms > runners.heard_at_ms
          ) as load
          from homes join runners using (runner)
          where ended_at_ms is null and homes.heard_at_ms > ${databaseNowMs(sql)} - ${FleetLimits.homeQuiet.ms}
        ) h) as homes`
    return {
      servers: row?.servers ?? [],
      homes: row?.homes ?? [],
      last: row?.last ?? -1,
      free: (row?.plan ?? "free") === "free",
      sentTo: row?.sent_to ?? null
    }
  })

interface Row {
  /** `null` = the project is gone. */
  readonly plan: string | null
  readonly last: number | null
  readonly sent_to: number | null
  readonly servers: ReadonlyArray<SeenServer>
  readonly homes: ReadonlyArray<SeenHome>
}
