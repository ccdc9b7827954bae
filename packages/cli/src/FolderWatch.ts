import { type FSWatcher, watch } from "node:fs"

import { Effect, Queue, type Scope } from "effect"

import { Misused } from "./CommandFailure.ts"

const ignored = (path: string): boolean =>
  /(?:^|[\\/])(?:node_modules|\.[^\\/]+)(?:[\\/]|$)/.test(path)

/** Time without a further change after which an edit counts as complete: editors write in steps. */
const settleFor = "80 millis"

/**
 * Watches folders with all below them, except node_modules and what begins with a dot.
 *
 * @returns waits for the next change and for the rest of its burst
 */
export const watchFolders = (
  folders: ReadonlyArray<string>
): Effect.Effect<Effect.Effect<void>, Misused, Scope.Scope> =>
  Effect.gen(function* () {
    const changes = yield* Queue.sliding<void>(1)
    yield* Effect.acquireRelease(
      Effect.forEach(folders, (folder) =>
        start(folder, () => Queue.offerUnsafe(changes, undefined))
      ),
      (watchers) => Effect.sync(() => watchers.forEach((watcher) => watcher.close()))
    )
    const quiet = Effect.timeoutOption(Queue.take(changes), settleFor)
    return Effect.andThen(
      Queue.take(changes),
      Effect.asVoid(Effect.repeat(quiet, { until: (change) => change._tag === "None" }))
    )
  })

const start = (folder: string, changed: () => void): Effect.Effect<FSWatcher, Misused> =>
  Effect.try({
    try: () =>
      // A folder that goes away while it is looked at is a change like any other.
      watch(folder, { recursive: true, ignore: ignored }, changed).on("error", changed),
    catch: (error) =>
      new Misused({
        message: `${folder}: cannot be watched (${error instanceof Error ? error.message : String(error)})`
      })
  })
