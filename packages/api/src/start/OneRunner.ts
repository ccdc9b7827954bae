import { randomHex } from "@atrium/actors/store/Secrets"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Effect, Option, Schedule } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

import { type ServiceConfig, StartRefused, StoreLost } from "./ServiceConfig.ts"

/** "atrium", as a number: the advisory lock of the runners of a database. */
const lockId = 107_160_215_671

/**
 * A runner that is alone owns every room of its database: any other one would start them all again. So
 * it holds the lock for itself, and runners that know of each other share it. The lock lives as long
 * as its connection, so a killed service leaves nothing to clean up.
 */
export interface RunnerLock {
  /** The name of the connection that holds the lock: the runner lives as long as the database sees it. */
  readonly session: string
  /** Takes the lock at the start of the service. */
  first(connection: Connection): Effect.Effect<void, SqlError | StartRefused>
  /** Takes it on a new connection, after the old one was lost. */
  again(connection: Connection): Effect.Effect<void, SqlError | StoreLost>
}

class Taken {
  readonly _tag = "Taken"
}

export const makeRunnerLock = (config: Pick<ServiceConfig, "runnerAddress">): RunnerLock => {
  const shared = Option.isSome(config.runnerAddress)
  const session = `atrium ${randomHex(16)}`
  const take = taking({ session, shared })
  return {
    session,
    first: (connection) =>
      Effect.catchTag(take(connection), "Taken", () =>
        Effect.fail(new StartRefused({ message: shared ? besideOneAlone : besideOthers }))
      ),
    again: (connection) =>
      // The database may not have noticed yet that our own connection is gone.
      Effect.andThen(endOwn(connection, session), take(connection)).pipe(
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

const besideOthers =
  "Another Atrium runs on this database; stop it, or give every runner an ATRIUM_RUNNER_ADDRESS."
const besideOneAlone =
  "An Atrium without ATRIUM_RUNNER_ADDRESS runs on this database; stop it, or give it one, too."

const run = (connection: Connection, statement: string, params: ReadonlyArray<unknown> = []) =>
  connection.executeUnprepared(statement, params, undefined)

const endOwn = (connection: Connection, session: string) =>
  run(
    connection,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = $1 and pid <> pg_backend_pid()`,
    [session]
  )

interface Taking {
  /** The name of the connection that has the lock. */
  readonly session: string
  readonly shared: boolean
}

/** A service that was killed a moment ago may still seem to hold the lock. */
const taking = ({ session, shared }: Taking) => {
  const lock = shared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock"
  return Effect.fnUntraced(function* (connection: Connection) {
    // A service whose machine went away must not hold the lock for hours.
    yield* run(
      connection,
      `select set_config('application_name', $1, false),
         set_config('tcp_keepalives_idle', '10', false),
         set_config('tcp_keepalives_interval', '5', false),
         set_config('tcp_keepalives_count', '3', false)`,
      [session]
    )
    yield* run(connection, `select ${lock}(${lockId}) as locked`).pipe(
      Effect.filterOrFail(
        ([row]) => row?.["locked"] === true,
        () => new Taken()
      ),
      Effect.retry({
        schedule: Schedule.spaced("100 millis").pipe(
          Schedule.while(({ elapsed }) => elapsed < StoreLimits.storeLock.ms)
        ),
        while: ({ _tag }) => _tag === "Taken"
      })
    )
  })
}
