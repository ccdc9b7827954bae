import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Clock, Deferred, Effect, Exit, Metric, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

import { makeRunnerLock } from "./OneRunner.ts"
import { type ServiceConfig, StartRefused, type StoreLost } from "./ServiceConfig.ts"

const storeUp = Metric.gauge("atrium_store_up", {
  description: "1 while the store answers, 0 while it is away"
})

interface Held {
  readonly connection: Connection
  readonly scope: Scope.Closeable
}

/** Between two attempts to reach a store that is away. */
const again = Schedule.spaced("200 millis")

/**
 * Holds one connection to the database for as long as the service runs, and the lock of a runner that
 * is alone with it. When the connection ends, the store is away: that is told once, and the lock is
 * taken anew as soon as the store is back.
 *
 * @returns the connection's name, and what fails when another service has taken the database meanwhile
 */
export const watchStore = Effect.fnUntraced(function* (
  config: Pick<ServiceConfig, "runnerAddress">
) {
  const sql = yield* SqlClient.SqlClient
  const outer = yield* Effect.scope
  const lock = makeRunnerLock(config)
  const lost = yield* Deferred.make<never, StoreLost>()

  const hold = <E>(take: (connection: Connection) => Effect.Effect<void, E | SqlError>) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(outer)
      const connection = yield* Scope.provide(sql.reserve, scope).pipe(
        Effect.tap(take),
        answeredWithin(StoreLimits.storeAnswer.ms + StoreLimits.storeLock.ms),
        Effect.onError((cause) => Effect.forkDetach(Scope.close(scope, Exit.failCause(cause))))
      )
      const held: Held = { connection, scope }
      return held
    })

  const first = yield* hold(lock.first).pipe(
    Effect.catchTag(["SqlError", "TimeoutError"], ({ message }) =>
      Effect.fail(new StartRefused({ message: `The database cannot be locked: ${message}.` }))
    )
  )
  yield* Metric.update(storeUp, 1)

  const watch = Effect.gen(function* () {
    let pauseMs = 0
    for (let held = first; ;) {
      const heldSinceMs = yield* Clock.currentTimeMillis
      const reason = yield* untilGone(held.connection)
      const awaySinceMs = yield* Clock.currentTimeMillis
      pauseMs = pauseAfter(awaySinceMs - heldSinceMs, pauseMs)
      yield* Metric.update(storeUp, 0)
      yield* Effect.logWarning(`the store does not answer (${reason}); rooms go on in memory`)
      // A connection that stands still takes its time to end.
      yield* Effect.forkDetach(Scope.close(held.scope, Exit.void))
      yield* Effect.sleep(pauseMs)
      held = yield* hold(lock.again).pipe(
        Effect.retry({ schedule: again, while: ({ _tag }) => _tag !== "StoreLost" }),
        Effect.catchTag(["SqlError", "TimeoutError"], Effect.die)
      )
      yield* Metric.update(storeUp, 1)
      const awayForMs = (yield* Clock.currentTimeMillis) - awaySinceMs
      yield* Effect.logInfo(`the store answers again, after ${awayForMs} ms`)
    }
  })
  yield* Effect.forkScoped(Effect.onError(watch, (cause) => Deferred.failCause(lost, cause)))
  return { session: lock.session, lost: Deferred.await(lost) }
})

/** A store that comes and goes is asked, and told of, ever more rarely. */
const pauseAfter = (heldForMs: number, beforeMs: number): number =>
  heldForMs >= StoreLimits.storeSteady.ms
    ? 0
    : Math.min(Math.max(2 * beforeMs, StoreLimits.storePauseFirst.ms), StoreLimits.storePause.ms)

/** Looks at the connection now and then; completes with the reason when it does not answer. */
const untilGone = (connection: Connection): Effect.Effect<string> =>
  connection.executeUnprepared("select 1", [], undefined).pipe(
    answeredWithin(StoreLimits.storeAnswer.ms),
    Effect.andThen(Effect.sleep(StoreLimits.storeLook.ms)),
    Effect.forever,
    Effect.catch(({ message }) => Effect.succeed(message))
  )
