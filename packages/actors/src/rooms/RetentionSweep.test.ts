import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { RetentionSweep } from "./RetentionSweep.ts"
import { RoomStore } from "./RoomStore.ts"
import { lookTimes, onTime } from "./testing/LookTimes.ts"

const away = new SqlError({ reason: new ConnectionError({ cause: new Error("gone") }) })

/** Stores of no rooms, which fail as they are told, and the moments of the sweeps. */
const sweeping = (failures: ReadonlyArray<unknown> = []) => {
  const looks: Array<number> = []
  const said: Array<unknown> = []
  const prunedAt: Array<number> = []
  const stores = Layer.mergeAll(
    Layer.mock(DeploymentStore, { declaredWindows: Effect.succeed([]) }),
    Layer.mock(ObjectStore, {}),
    Layer.mock(RoomStore, {
      lapsed: ({ nowMs }) =>
        Effect.suspend(() => {
          const failure = failures[looks.length]
          looks.push(nowMs)
          return failure === undefined ? Effect.succeed([]) : Effect.die(failure)
        }),
      prune: (nowMs) =>
        Effect.sync(() => {
          prunedAt.push(nowMs)
          return []
        }),
      forget: () => Effect.void
    })
  )
  const running = RetentionSweep.pipe(
    Layer.provideMerge(TestCluster),
    Layer.provide(stores),
    Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void said.push(message))]))
  )
  return { looks, said, running, prunedAt }
}

it.effect("[state.room.retention-sweep] a sweep comes at the start and every 15 minutes", () => {
  const { looks, said, running, prunedAt } = sweeping()
  return Effect.gen(function* () {
    expect(yield* lookTimes(looks, RoomLimits.sweepEvery.ms)).toEqual(
      onTime(RoomLimits.sweepEvery.ms)
    )
    expect(prunedAt).toEqual(looks)
    expect(JSON.stringify(said)).not.toContain("sweep failed")
  }).pipe(Effect.provide(running))
})

it.effect("[state.room.retention-sweep] a sweep that fails is not the last one", () => {
  const { looks, said, running, prunedAt } = sweeping([away, new Error("a bug"), away])
  return Effect.gen(function* () {
    expect(yield* lookTimes(looks, RoomLimits.sweepEvery.ms)).toEqual(
      onTime(RoomLimits.sweepEvery.ms)
    )
    expect(prunedAt).toEqual(looks.slice(3))
    // Of a store that is away somebody else tells.
    expect(JSON.stringify(said).split("a sweep failed")).toHaveLength(2)
  }).pipe(Effect.provide(running))
})
