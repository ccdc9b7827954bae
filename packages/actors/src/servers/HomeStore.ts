import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

import { databaseNowMs } from "../store/DatabaseClock.ts"

/** A runner's home, and the process that has it now. */
export interface HomeKey {
  readonly home: number
  readonly session: string
}

/**
 * The homes of runners. A home has a lease: its runner renews it every two seconds, and another runner that finds
 * that it has ended gives its servers up with one statement. From then on the runner cannot renew.
 */
export class HomeStore extends Context.Service<
  HomeStore,
  {
    /** The home of a runner that starts. The servers of the process before it are empty. */
    open(runner: string, session: string): Effect.Effect<number, SqlError>
    /** Begins a lease; false = another process has the home, or its servers were given up a moment ago. */
    take(key: HomeKey): Effect.Effect<boolean, SqlError>
    /** false = the lease is over. */
    renew(key: HomeKey): Effect.Effect<boolean, SqlError>
    close(key: HomeKey): Effect.Effect<void, SqlError>
    /** Gives up the servers of runners that have ended, and of those that are silent for ten seconds. */
    giveUp(ended: ReadonlyArray<string>): Effect.Effect<void, SqlError>
    isOver(home: number): Effect.Effect<boolean, SqlError>
  }
>()("@atrium/actors/servers/HomeStore") {
  static readonly layerSql = Layer.effect(
    HomeStore,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const now = databaseNowMs(sql)
      const emptied = sql`update servers set cost = 0, since_ms = ${now} where cost > 0 and home`
      return {
        open: Effect.fn("HomeStore.open")(function* (runner: string, session: string) {
          const [row] = yield* sql<{ readonly home: number }>`
            insert into homes (runner, session, heard_at_ms) values (${runner}, ${session}, ${now})
            on conflict (runner) do update set session = excluded.session,
              heard_at_ms = excluded.heard_at_ms, ended_at_ms = null
            returning home`
          const home = row?.home ?? 0
          yield* sql`${emptied} = ${home}`
          return home
        }),
        take: ({ home, session }) =>
          isChanged(sql`
            update homes set heard_at_ms = ${now}, ended_at_ms = null
            where home = ${home} and session = ${session}
              and coalesce(ended_at_ms, 0) <= ${now} - ${FleetLimits.homeAgain.ms}
            returning home`),
        renew: ({ home, session }) =>
          isChanged(sql`
            update homes set heard_at_ms = ${now}
            where home = ${home} and session = ${session} and ended_at_ms is null
            returning home`),
        close: ({ home, session }) =>
          Effect.asVoid(sql`
            with closed as (
              update homes set ended_at_ms = ${now}
              where home = ${home} and session = ${session} returning home
            ) ${emptied} in (select home from closed)`),
        giveUp: (ended) =>
          Effect.asVoid(sql`
            with lost as (
              update homes set ended_at_ms = ${now}
              where ended_at_ms is null and (
                heard_at_ms <= ${now} - ${FleetLimits.homeSilent.ms}
                or runner = any(${ended}::text[])
                  and heard_at_ms <= ${now} - ${FleetLimits.homeOpened.ms}
              ) returning home
            ) ${emptied} in (select home from lost)`),
        isOver: (home) =>
          Effect.map(
            sql`select from homes where home = ${home} and ended_at_ms is null`,
            (rows) => rows.length === 0
          )
      }
    })
  )
}

const isChanged = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
  Effect.map(statement, (rows) => rows.length > 0)
