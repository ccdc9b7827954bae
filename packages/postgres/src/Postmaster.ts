import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Writable } from "node:stream"

import { Deferred, Effect, Option, Schema } from "effect"
import type { Scope } from "effect"

import { reasonOf } from "./EmbeddedPostgresError.ts"
import { folderArgument, postgresEnv } from "./PostgresCluster.ts"
import type { ClusterPlace } from "./PostgresCluster.ts"
import { sendSignal } from "./ProcessIdentity.ts"

/** The postmaster ended before it was ready; `lines` is the end of what it said. */
export class PostmasterEnded extends Schema.TaggedError<PostmasterEnded>()("PostmasterEnded", {
  lines: Schema.Array(Schema.String)
}) {}

export interface Postmaster {
  /** Completes when the server takes connections, fails when it ends before that. */
  readonly ready: Effect.Effect<void, PostmasterEnded>
  /** Completes when every process of the server is gone, with its last lines. */
  readonly ended: Effect.Effect<ReadonlyArray<string>>
  /** Disconnects the clients, writes everything down and ends; harder after five seconds. */
  readonly stop: Effect.Effect<void>
}

type Order = "INT" | "QUIT" | "KILL"

const linesKept = 50

/**
 * Holds PostgreSQL as its child and reads orders from the service on fd 3. When the service is gone,
 * even by SIGKILL, the read ends and the guardian stops PostgreSQL itself, ever harder. It ignores
 * the signals of a terminal, as the service decides when PostgreSQL goes.
 */
const guardian = `
trap '' HUP INT TERM
"$@" 3<&- &
server=$!
exec 2>/dev/null
while read -r order <&3; do
  case $order in
    WAIT) wait "$server"; exit $? ;;
    *) kill -s "$order" "$server" ;;
  esac
done
for order in INT QUIT KILL; do
  kill -s "$order" "$server" || break
  tries=0
  while kill -0 "$server" && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
done
wait "$server"
`

const spawnGuardian = (place: ClusterPlace, settings: ReadonlyArray<string>): ChildProcess =>
  spawn(
    "/bin/sh",
    [
      "-c",
      guardian,
      "atrium-postgres",
      join(place.binaries, "bin/postgres"),
      "-D",
      folderArgument(place),
      ...settings.flatMap((setting) => ["-c", setting])
    ],
    {
      cwd: place.clusterDir,
      env: postgresEnv,
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      ...place.user.spawnAs
    }
  )

export interface PostmasterOptions {
  /** `name=value` of postgresql.conf */
  readonly settings: ReadonlyArray<string>
  hear(line: string): void
}

/** Starts the server of a cluster and stops it when the scope closes. */
export const startPostmaster = (
  place: ClusterPlace,
  { settings, hear }: PostmasterOptions
): Effect.Effect<Postmaster, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => supervise(spawnGuardian(place, settings), hear)),
    (postmaster) => postmaster.stop
  )

const supervise = (child: ChildProcess, hear: (line: string) => void): Postmaster => {
  const ready = Deferred.makeUnsafe<void, PostmasterEnded>()
  const ended = Deferred.makeUnsafe<ReadonlyArray<string>>()
  const lines: Array<string> = []
  let exited = false
  let silent = child.stderr === null
  const endWhenGone = (): void => {
    if (!exited || !silent) return
    Deferred.doneUnsafe(ready, Effect.fail(new PostmasterEnded({ lines })))
    Deferred.doneUnsafe(ended, Effect.succeed(lines))
  }
  // Node types the fourth pipe as it types all, though this one is a socket that is written to.
  const orders = child.stdio[3] as Writable | null | undefined
  const order = (word: Order): void => {
    if (exited) signalGroup(child, word)
    else if (orders?.writable === true) orders.write(`${word}\n`)
  }
  orders?.on("error", () => {})
  child.on("error", (cause) => {
    lines.push(`FATAL:  /bin/sh cannot be started: ${reasonOf(cause)}`)
    exited = true
    silent = true
    endWhenGone()
  })
  child.on("exit", () => {
    exited = true
    // The guardian ends last. When somebody killed it first, the server has nobody to hold it.
    if (!silent) order("INT")
    endWhenGone()
  })
  if (child.stderr !== null) {
    const reader = createInterface({ input: child.stderr })
    reader.on("line", (line) => {
      if (lines.push(line) > linesKept) lines.shift()
      hear(line)
      if (line.includes("database system is ready to accept connections")) {
        Deferred.doneUnsafe(ready, Effect.void)
      }
    })
    // Every process of the server holds this pipe, and the guardian does not: its end is theirs.
    reader.on("close", () => {
      silent = true
      orders?.end("WAIT\n")
      endWhenGone()
    })
  }
  return {
    ready: Deferred.await(ready),
    ended: Deferred.await(ended),
    stop: stopBy(child, order, ended)
  }
}

/** The guardian leads a process group of itself and the postmaster. */
const signalGroup = (child: ChildProcess, word: Order): void => {
  if (child.pid !== undefined) sendSignal(-child.pid, `SIG${word}`)
}

const stopBy = Effect.fnUntraced(function* (
  child: ChildProcess,
  order: (word: Order) => void,
  ended: Deferred.Deferred<ReadonlyArray<string>>
) {
  for (const word of ["INT", "QUIT", "KILL"] as const) {
    if (yield* Deferred.isDone(ended)) return
    order(word)
    if (Option.isSome(yield* Effect.timeoutOption(Deferred.await(ended), "5 seconds"))) return
  }
  // Only a guardian that is itself stopped or stuck gets here.
  signalGroup(child, "KILL")
})
