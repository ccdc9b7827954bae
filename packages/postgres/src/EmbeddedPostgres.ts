import { createServer } from "node:net"
import { join } from "node:path"

import { Effect, Redacted } from "effect"
import type { Scope } from "effect"

import { urlOf } from "./Credentials.ts"
import { lockDataFolder } from "./DataFolderLock.ts"
import { DataFolderDamaged, PostgresStartFailed } from "./EmbeddedPostgresError.ts"
import type { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { postgresBinaries } from "./PostgresBinaries.ts"
import { makeDataFolder, prepareCluster, takeOver } from "./PostgresCluster.ts"
import type { ClusterPlace } from "./PostgresCluster.ts"
import { postgresUser } from "./PostgresUser.ts"
import { startPostmaster } from "./Postmaster.ts"
import type { Postmaster } from "./Postmaster.ts"

export interface EmbeddedPostgresOptions {
  /** The folder for everything of this PostgreSQL; made at the first start, private to its owner. */
  readonly dataDir: string
  /** `false` only for data that may be lost with the machine: tests. */
  readonly durable: boolean
  /** Gets each line that the server says. */
  readonly hear?: (line: string) => void
}

export interface EmbeddedPostgres {
  /** The database `atrium`, as the role that owns it. */
  readonly url: Redacted.Redacted
  /** The database `postgres`, as the superuser: for maintenance and tests. */
  readonly adminUrl: Redacted.Redacted
  readonly port: number
  /** Completes when the server is gone, asked or not, with the last lines of its log. */
  readonly ended: Effect.Effect<ReadonlyArray<string>>
  /** Stops the server now; closing the scope does the same. */
  readonly stop: Effect.Effect<void>
}

const settingsFor = (options: EmbeddedPostgresOptions, port: number): ReadonlyArray<string> => [
  "listen_addresses=127.0.0.1",
  `port=${port}`,
  "unix_socket_directories=",
  // Without durability it is a test's: several services share it, some of them of three runners.
  `max_connections=${options.durable ? 100 : 400}`,
  "shared_buffers=64MB",
  "max_wal_size=256MB",
  "jit=off",
  "timezone=UTC",
  "log_timezone=UTC",
  // A client's error is the client's to report; the log holds what the server itself has to say.
  "log_min_messages=log",
  "log_checkpoints=off",
  "log_line_prefix=",
  ...(options.durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"])
]

/** Starts that fail by what passes by itself, a fifth of a second apart. */
const attempts = 100

/** A port that was free a moment ago. */
export const freePort: Effect.Effect<number, PostgresStartFailed> = Effect.callback((resume) => {
  const server = createServer()
  server.on("error", (cause) =>
    resume(
      Effect.fail(
        new PostgresStartFailed({
          message: `PostgreSQL gets no port on 127.0.0.1: ${cause.message}.`
        })
      )
    )
  )
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = address !== null && typeof address === "object" ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Faults that pass: another program took the port, or processes of the last server still run. */
const passing = /Address already in use|pre-existing shared memory block/
const machineFault = /No space left|Permission denied|Too many open files|Cannot allocate memory/
const dataFault =
  /PANIC|control file|checkpoint|checksum|could not (?:open|read|access|locate)|invalid|corrupt|incompatible|does not exist/

/** Messages to clients while PostgreSQL starts or ends. They do not say why the server ended. */
const ofClients =
  /the database system is (?:starting up|shutting down|in recovery mode|not (?:yet )?accepting connections)/

/** The line that says why the server ended. */
export const reasonOfEnd = (lines: ReadonlyArray<string>): string =>
  lines.findLast((line) => /^(?:FATAL|PANIC):/.test(line) && !ofClients.test(line)) ??
  lines.at(-1) ??
  "no word"

const startFault = (place: ClusterPlace, lines: ReadonlyArray<string>): EmbeddedPostgresError => {
  const said = reasonOfEnd(lines)
  const reason = said.replace(/^(?:FATAL|PANIC): */, "")
  return dataFault.test(said) && !machineFault.test(said)
    ? new DataFolderDamaged({
        message: `The data folder ${place.dataDir} is damaged: PostgreSQL says "${reason}".`
      })
    : new PostgresStartFailed({ message: `PostgreSQL does not start: ${reason}.` })
}

/** Starts the server of a prepared cluster at a port; a port that is taken is asked for again. */
export const startServer = Effect.fnUntraced(function* (
  options: EmbeddedPostgresOptions,
  place: ClusterPlace,
  nextPort: Effect.Effect<number, PostgresStartFailed>
) {
  for (let attempt = 1; ; attempt++) {
    const port = yield* nextPort
    const postmaster: Postmaster = yield* startPostmaster(place, {
      settings: settingsFor(options, port),
      hear: options.hear ?? (() => undefined)
    })
    const outcome = yield* postmaster.ready.pipe(
      Effect.timeoutOrElse({
        duration: "60 seconds",
        orElse: () =>
          new PostgresStartFailed({ message: "PostgreSQL was not ready after 60 seconds." })
      }),
      Effect.result
    )
    if (outcome._tag === "Success") return { port, postmaster }
    const failure = outcome.failure
    if (failure._tag === "PostgresStartFailed") return yield* failure
    if (attempt === attempts || !failure.lines.some((line) => passing.test(line))) {
      return yield* startFault(place, failure.lines)
    }
    yield* Effect.sleep("200 millis")
  }
})

/** Locks a data folder until the scope closes, and makes its cluster at the first start. */
export const takeDataFolder = Effect.fnUntraced(function* (options: EmbeddedPostgresOptions) {
  const dataDir = yield* makeDataFolder(options.dataDir)
  yield* lockDataFolder(dataDir)
  const clusterDir = join(dataDir, "cluster")
  const user = yield* postgresUser(clusterDir)
  const binaries = yield* postgresBinaries(user)
  const place: ClusterPlace = { dataDir, clusterDir, binaries, user }
  yield* takeOver(place)
  return { place, credentials: yield* prepareCluster(place, options.durable) }
})

/**
 * Starts the PostgreSQL that ships with the service on a data folder, and stops it when the scope
 * closes. The server never outlives this process, not even after SIGKILL.
 */
export const startEmbeddedPostgres: (
  options: EmbeddedPostgresOptions
) => Effect.Effect<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> = Effect.fnUntraced(
  function* (options: EmbeddedPostgresOptions) {
    const { place, credentials } = yield* takeDataFolder(options)
    const { port, postmaster } = yield* startServer(options, place, freePort)
    return {
      url: Redacted.make(urlOf("atrium", credentials, { port, database: "atrium" })),
      adminUrl: Redacted.make(urlOf("postgres", credentials, { port, database: "postgres" })),
      port,
      ended: postmaster.ended,
      stop: postmaster.stop
    }
  }
)
