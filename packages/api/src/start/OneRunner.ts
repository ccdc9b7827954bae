import { randomBytes } from "node:crypto"

import { Limits } from "@atrium/domain/Limits"
import { Effect, Option, Schedule } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

import { type ServiceConfig, StartRefused, StoreLost } from "./ServiceConfig.ts"

/** "atrium", as a number: the advisory lock of a runner that is alone on its database. */
const lockId = 107_160_215_671

/**
 * A runner that is alone owns every room of its database: a second one would start them all again.
 * The lock lives as long as its connection, so a killed service leaves nothing to clean up.
 */
export interface RunnerLock {
  /** Takes the lock at the start of the service. */
  first(connection: Connection): Effect.Effect<void, SqlError | StartRefused>
  /** Takes it on a new connection, after the old one was lost. */
  again(connection: Connection): Effect.Effect<void, SqlError | StoreLost>
}

class Taken {
  readonly _tag = "Taken"
}

export const makeRunnerLock = (config: ServiceConfig): RunnerLock => {
  if (Option.isSome(config.runnerAddress)) {
    return { first: () => Effect.void, again: () => Effect.void }
  }
  const session = `atrium ${randomBytes(8).toString("hex")}`
  return {
    first: (connection) =>
      Effect.catchTag(take(connection, session), "Taken", () =>
        Effect.fail(
          new StartRefused({
            message:
              "Another Atrium runs on this database; stop it, or give every runner an ATRIUM_RUNNER_ADDRESS."
          })
        )
      ),
    again: (connection) =>
      // The database may not have noticed yet that our own connection is gone.
      Effect.andThen(endOwn(connection, session), take(connection, session)).pipe(
        Effect.catchTag("Taken", () =>
          Effect.fail(
            new StoreLost({
              message:
                "Another Atrium has taken this database while it was out of reach; this one has ended."
            })
          )
        )
      )
  }
}

const run = (connection: Connection, statement: string, params: ReadonlyArray<unknown> = []) =>
  connection.executeUnprepared(statement, params, undefined)

const endOwn = (connection: Connection, session: string) =>
  run(
    connection,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = $1 and pid <> pg_backend_pid()`,
    [session]
  )

/** A service that was killed a moment ago may still seem to hold the lock. */
const take = (connection: Connection, session: string) =>
  Effect.gen(function* () {
    // A service whose machine went away must not hold the lock for hours.
    yield* run(
      connection,
      `select set_config('application_name', $1, false),
         set_config('tcp_keepalives_idle', '10', false),
         set_config('tcp_keepalives_interval', '5', false),
         set_config('tcp_keepalives_count', '3', false)`,
      [session]
    )
    yield* run(connection, `select pg_try_advisory_lock(${lockId}) as locked`).pipe(
      Effect.filterOrFail(
        ([row]) => row?.["locked"] === true,
        () => new Taken()
      ),
      Effect.retry({
        schedule: Schedule.spaced("100 millis").pipe(
          Schedule.while(({ elapsed }) => elapsed < Limits.storeLock.ms)
        ),
        while: ({ _tag }) => _tag === "Taken"
      })
    )
  })
