import { readdir } from "node:fs/promises"
import { relative } from "node:path"

import { type FSWatcher, watch } from "chokidar"
import { Effect, Option, Queue, type Scope } from "effect"

import { Misused } from "../CommandFailure.ts"

/**
 * Tells whether a file is no room code: it is below node_modules, or a name in its path begins with a dot.
 *
 * @param path relative to the watched folder
 */
export const isIgnored = (path: string): boolean =>
  /(?:^|[\\/])(?:node_modules|\.[^\\/]+)(?:[\\/]|$)/.test(path)

/** Time without a further change after which an edit counts as complete: editors write in steps. */
const settleFor = "80 millis"

interface FolderWatch {
  /** Waits for a change that nobody waited for yet, and for the rest of its burst. */
  readonly nextChange: Effect.Effect<void>
}

/** Watches folders with all below them, except node_modules and what begins with a dot. */
export const watchFolders = (
  folders: ReadonlyArray<string>
): Effect.Effect<FolderWatch, Misused, Scope.Scope> =>
  Effect.gen(function* () {
    const changes = yield* Queue.sliding<void>(1)
    for (const folder of folders) {
      yield* Effect.acquireRelease(
        start(folder, () => Queue.offerUnsafe(changes, undefined)),
        (watcher) => Effect.promise(() => watcher.close())
      )
    }
    const quiet = Effect.timeoutOption(Queue.take(changes), settleFor)
    const settled = Effect.repeat(quiet, { until: Option.isNone })
    return { nextChange: Effect.andThen(Queue.take(changes), Effect.asVoid(settled)) }
  })

/**
 * Starts to watch a folder; answers once all below it is watched. Node's own recursive watch loses a
 * file on Node 20 when an editor saves it by a rename.
 */
const start = (folder: string, changed: () => void): Effect.Effect<FSWatcher, Misused> =>
  Effect.tryPromise({
    try: async () => {
      await readdir(folder)
      const watcher = watch(folder, {
        ignoreInitial: true,
        ignored: (path) => isIgnored(relative(folder, path))
      })
      // A folder that goes away while it is looked at is a change like any other.
      watcher.on("all", changed).on("error", changed)
      await new Promise<void>((resolve) => watcher.once("ready", resolve))
      return watcher
    },
    catch: (error) =>
      new Misused({
        message: `${folder}: cannot be watched (${error instanceof Error ? error.message : String(error)})`
      })
  })
