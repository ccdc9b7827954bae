import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Clock, Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { roomPrefix } from "./RoomObjects.ts"
import { RoomActor } from "./RoomProtocol.ts"
import { RoomStore } from "./RoomStore.ts"

/** Rooms that are asked to go at once. */
const sweeps = 8

/** `sweep` every 15 minutes, once per cluster. */
export const RetentionSweep = Singleton.make(
  "RetentionSweep",
  Effect.suspend(() =>
    sweep.pipe(logFailure("a sweep failed"), lookEvery(RoomLimits.sweepEvery.ms))
  )
)

const sweepLapsed = Effect.gen(function* () {
  const rooms = yield* RoomStore
  const actorOf = yield* RoomActor.client
  const declared = yield* (yield* DeploymentStore).declaredWindows
  const nowMs = yield* Clock.currentTimeMillis

  const sweepRoom = (key: RoomKey) =>
    actorOf(roomKeyText(key))
      .Sweep()
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        Effect.catchCause((cause) =>
          Effect.logWarning("a room was not swept; the next sweep asks again", cause)
        ),
        Effect.annotateLogs({ project: key.projectId, room: key.roomId })
      )

  let after: RoomKey | null = null
  do {
    const lapsed: ReadonlyArray<RoomKey> = yield* rooms.lapsed({ nowMs, declared, after })
    yield* Effect.forEach(lapsed, sweepRoom, { concurrency: sweeps, discard: true })
    after = lapsed.length < RoomLimits.sweepBatch.max ? null : (lapsed.at(-1) ?? null)
  } while (after !== null)
})

const pruneRows = Effect.gen(function* () {
  const rooms = yield* RoomStore
  const objects = yield* ObjectStore
  const nowMs = yield* Clock.currentTimeMillis
  for (;;) {
    const pruned = yield* rooms.prune(nowMs)
    const stored = yield* Effect.forEach(pruned, (key) =>
      Effect.map(objects.list(roomPrefix(key)), (entries) => ({ key, empty: entries.length === 0 }))
    )
    yield* rooms.forget(stored.filter(({ empty }) => empty).map(({ key }) => key))
    if (pruned.length < RoomLimits.sweepBatch.max) return
  }
})

/**
 * Asks rooms that are past their retention to go, and takes rows that were not reported for 30 days
 * off the list. A room decides by itself what becomes of it, in its own actor; what a crash cut
 * short the next sweep finishes. Spec: Retention.
 */
export const sweep = Effect.all([sweepLapsed, pruneRows], { discard: true })
