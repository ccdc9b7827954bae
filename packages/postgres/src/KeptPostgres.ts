import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import { Clock, Deferred, Effect, Redacted, type Scope } from "effect"

import { urlOf } from "./Credentials.ts"
import {
  type EmbeddedPostgresOptions,
  freePort,
  startServer,
  takeDataFolder
} from "./EmbeddedPostgres.ts"
import { type EmbeddedPostgresError, PostgresStartFailed } from "./EmbeddedPostgresError.ts"
import { reopenCluster } from "./PostgresCluster.ts"

/** The embedded PostgreSQL of a service: one address for as long as the service runs. */
export interface KeptPostgres {
  /** The database `atrium`, as the role that owns it. */
  readonly url: Redacted.Redacted
  /** Fails when the server has ended and cannot be started again. */
  readonly lost: Effect.Effect<never, EmbeddedPostgresError>
}

/** Lines of the server's log that Atrium repeats for the operator. */
const notable = /was terminated by signal|PANIC/

/** Of a server that was killed there are none. */
const lastWords = (lines: ReadonlyArray<string>): string =>
  lines.findLast((line) => /^(?:FATAL|PANIC):/.test(line)) ?? "nothing"

/** The wait before a start: none after the first end, then doubled by each that follows soon. */
const backoffMs = (ends: number): number => (ends <= 1 ? 0 : 100 * 2 ** ends)

/**
 * Starts the PostgreSQL that ships with the service, and starts it again at the same port whenever
 * it ends by itself: it recovers what was committed, and connections are made anew. A damaged folder,
 * and a server that ends again and again, are left to the operator.
 */
export const keepEmbeddedPostgres: (
  options: EmbeddedPostgresOptions
) => Effect.Effect<KeptPostgres, EmbeddedPostgresError, Scope.Scope> = Effect.fnUntraced(function* (
  options: EmbeddedPostgresOptions
) {
  const { place, credentials } = yield* takeDataFolder(options)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const hear = (line: string): void => {
    if (notable.test(line)) run(Effect.logWarning(`PostgreSQL: ${line}`))
  }
  const up = yield* Deferred.make<number, EmbeddedPostgresError>()
  const lost = yield* Deferred.make<never, EmbeddedPostgresError>()

  /** One life of the server, from its start to its end. */
  const live = Effect.fnUntraced(function* (nextPort: Effect.Effect<number, PostgresStartFailed>) {
    const { port, postmaster } = yield* startServer({ ...options, hear }, place, nextPort)
    const first = yield* Deferred.succeed(up, port)
    if (!first) yield* Effect.logInfo(`PostgreSQL runs again on port ${port}`)
    const lines = yield* postmaster.ended
    return { port, said: lastWords(lines) }
  }, Effect.scoped)

  const keep = Effect.gen(function* () {
    let ended = yield* live(freePort)
    for (let ends: ReadonlyArray<number> = []; ;) {
      const nowMs = yield* Clock.currentTimeMillis
      ends = [...ends.filter((atMs) => atMs > nowMs - ClosingLimits.restartsWindow.ms), nowMs]
      if (ends.length >= StoreLimits.postgresRestarts.max) return yield* givenUp(ended.said)
      yield* Effect.logError(
        `PostgreSQL ended by itself and is started again; it said: ${ended.said}`
      )
      yield* Effect.sleep(backoffMs(ends.length))
      yield* reopenCluster(place)
      const { port } = ended
      ended = yield* Effect.catchTag(
        live(Effect.succeed(port)),
        "PostgresStartFailed",
        ({ message }) => Effect.succeed({ port, said: message })
      )
    }
  })
  yield* keep.pipe(
    Effect.onError((cause) =>
      Effect.andThen(Deferred.failCause(up, cause), Deferred.failCause(lost, cause))
    ),
    Effect.forkScoped
  )
  const port = yield* Deferred.await(up)
  return {
    url: Redacted.make(urlOf("atrium", credentials, { port, database: "atrium" })),
    lost: Deferred.await(lost)
  }
})

const givenUp = (said: string) =>
  new PostgresStartFailed({
    message:
      `PostgreSQL ended ${StoreLimits.postgresRestarts.max} times within a minute; ` +
      `its last words were "${said}".`
  })
