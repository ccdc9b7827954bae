import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { LineIds, type LogLevel } from "@atrium/domain/logs/LogLine"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Clock, Context, Effect, Exit, Layer, Metric } from "effect"

import { CountedProjects } from "../metrics/ProjectCounts.ts"
import { makeBatchWriter } from "../store/BatchWriter.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { isStoreAway } from "../store/StoreFailure.ts"
import { LineQueue } from "./LineQueue.ts"
import { LogStore } from "./LogStore.ts"
import { LogTail } from "./LogTail.ts"

const dropped = Metric.counter("atrium_log_lines_dropped_total", {
  description:
    "Lines of rooms that were not kept: past their room's or project's limit, or not stored",
  incremental: true
})

/** Why a line is not kept: its room or its project logs too much, or the store does not take it. */
export type DropCause = "room" | "ingest" | "store"

/** A room that floods its log drops thousands of lines a second: nothing is made for each of them. */
const counters: Readonly<Record<DropCause, typeof dropped>> = {
  room: Metric.withAttributes(dropped, { cause: "room" }),
  ingest: Metric.withAttributes(dropped, { cause: "ingest" }),
  store: Metric.withAttributes(dropped, { cause: "store" })
}

/**
 * The log of every room of this runner: each line goes to the tail and, with others and a little
 * later, to the store. A room never waits for it: what the store does not take is dropped. Source: C-330.
 */
export class RoomLogs extends Context.Service<
  RoomLogs,
  {
    /** Keeps a line. It lies on the way of every line: no Effect. @param line within the limit of a log line */
    say(key: RoomKey, level: LogLevel, line: string): void
    /** Counts a line that is not kept. */
    dropped(cause: DropCause): void
  }
>()("@atrium/actors/logs/RoomLogs") {
  static readonly layer = Layer.effect(
    RoomLogs,
    Effect.gen(function* () {
      const store = yield* LogStore
      const tail = yield* LogTail
      const counts = yield* CountedProjects
      const clock = yield* Clock.Clock
      const context = yield* Effect.context<never>()
      const ids = new LineIds()
      const queue = new LineQueue()

      const count = (cause: DropCause, lines: number): void =>
        counters[cause].updateUnsafe(lines, context)

      /** Stores what waits. Ends early when the store is away: the lines stay, and are stored later. */
      const flush = Effect.gen(function* () {
        while (queue.size > 0) {
          const batch = queue.batch()
          const exit = yield* store
            .append(batch)
            .pipe(answeredWithin(StoreLimits.storeAnswer.ms), Effect.exit)
          if (Exit.isFailure(exit)) {
            const { cause } = exit
            if (Cause.hasInterrupts(cause) || Cause.hasFails(cause) || isStoreAway(cause)) return
            count("store", batch.length)
            yield* Effect.logError("log lines of rooms could not be stored", cause)
          }
          queue.remove(batch.length)
        }
      })

      // It runs after the last attempt of the writer: finalizers run in reverse order.
      yield* Effect.addFinalizer(() => Effect.sync(() => count("store", queue.size)))
      const waits = yield* makeBatchWriter({
        flush,
        size: () => queue.size,
        togetherMs: LogLimits.logBatchWait.ms,
        againMs: LogLimits.logStoreWait.ms
      })

      return {
        dropped: (cause) => count(cause, 1),
        say: ({ projectId, roomId }, level, line) => {
          if (level === "error") counts.logged(projectId)
          const lineId = ids.next(clock.currentTimeMillisUnsafe())
          const kept = { lineId, roomId, level, line }
          tail.publish(projectId, kept)
          if (queue.add({ projectId, ...kept })) waits()
          else count("store", 1)
        }
      }
    })
  )
}
