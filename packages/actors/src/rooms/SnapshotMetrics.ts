import { Duration, Effect, Metric } from "effect"

import type { SnapshotCause } from "./SnapshotMachine.ts"

const stored = Metric.counter("atrium_snapshots_stored_total", {
  description: "Snapshots that were stored, by what asked for them",
  incremental: true
})
const failed = Metric.counter("atrium_snapshots_failed_total", {
  description: "Snapshots that could not be stored, by what asked for them",
  incremental: true
})
const seconds = Metric.histogram("atrium_snapshot_store_seconds", {
  description: "Time from a snapshot's arrival until it is stored",
  boundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Counts what becomes of a snapshot, and how long its storage takes. */
export const measured = <E, R>(
  cause: SnapshotCause,
  storing: Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.timed(storing).pipe(
    Effect.tap(([took]) =>
      Effect.andThen(
        Metric.update(Metric.withAttributes(stored, { cause }), 1),
        Metric.update(seconds, Duration.toSeconds(took))
      )
    ),
    Effect.tapCause(() => Metric.update(Metric.withAttributes(failed, { cause }), 1)),
    Effect.asVoid
  )
