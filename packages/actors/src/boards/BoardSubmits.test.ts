import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"

import { CapWalls } from "../meters/CapWalls.ts"
import { type Submit, SubmitOutcome } from "./BoardMachine.ts"
import { BoardStore } from "./BoardStore.ts"
import { BoardSubmits } from "./BoardSubmits.ts"

const [one, other] = ["p_0000000000000001", "p_0000000000000002"].map((id) => ({
  projectId: ProjectId.make(id),
  roomId: RoomId.make("arena")
}))
if (one === undefined || other === undefined) throw new Error("no rooms")

const submitOf = (score: number) => ({
  board: "main",
  bucket: null,
  playerId: "ann",
  score,
  id: "match"
})

/** A store whose transactions end when the test says so. */
const stage = () => {
  const batches: Array<{
    readonly scores: ReadonlyArray<number>
    readonly end: Deferred.Deferred<void>
  }> = []
  const submits: Array<Submit> = []
  const store = Layer.mock(BoardStore, {
    submit: (_, batch) => {
      const end = Deferred.makeUnsafe<void>()
      batches.push({ scores: batch.map(({ score }) => score), end })
      submits.push(...batch)
      return Effect.as(
        Deferred.await(end),
        batch.map(({ score }) => SubmitOutcome.Taken({ score, changed: true }))
      )
    }
  })
  const walls = Layer.mock(CapWalls, { of: () => Effect.succeed(null) })
  return { batches, submits, layer: Layer.provide(BoardSubmits.layer, [store, walls]) }
}

it.effect(
  "[limits.submitBatch] [C-581] scores that come meanwhile are stored together, 64 at a time",
  () => {
    const { batches, layer } = stage()
    return Effect.gen(function* () {
      const { submit } = yield* BoardSubmits
      const most = BoardLimits.submitBatch.max
      const scores = Array.from({ length: most + 2 }, (_, score) => score)
      const asked = yield* Effect.forkChild(
        Effect.forEach(scores, (score) => submit(one, submitOf(score)), {
          concurrency: "unbounded"
        })
      )
      const others = yield* Effect.forkChild(submit(other, submitOf(7)))
      yield* Effect.yieldNow
      const sizes = () => batches.map((batch) => batch.scores.length)
      expect(sizes()).toEqual([1, 1])
      // Each project has a batch of its own under way.
      const [first, ofOther] = batches
      if (first === undefined || ofOther === undefined) throw new Error("no batches")
      yield* Deferred.succeed(ofOther.end, undefined)
      expect(yield* Fiber.join(others)).toEqual(SubmitOutcome.Taken({ score: 7, changed: true }))
      yield* Deferred.succeed(first.end, undefined)
      yield* Effect.yieldNow
      expect(sizes()).toEqual([1, 1, most])
      for (const { end } of batches.slice(2)) yield* Deferred.succeed(end, undefined)
      yield* Effect.yieldNow
      expect(sizes()).toEqual([1, 1, most, 1])
      for (const { end } of batches.slice(3)) yield* Deferred.succeed(end, undefined)
      const outcomes = yield* Fiber.join(asked)
      expect(outcomes).toEqual(scores.map((score) => SubmitOutcome.Taken({ score, changed: true })))
    }).pipe(Effect.provide(layer))
  }
)

it.effect("[C-581] a transaction that fails fails its own scores alone", () => {
  const { batches, layer } = stage()
  return Effect.gen(function* () {
    const { submit } = yield* BoardSubmits
    const first = yield* Effect.forkChild(Effect.exit(submit(one, submitOf(1))))
    yield* Effect.yieldNow
    const second = yield* Effect.forkChild(submit(one, submitOf(2)))
    yield* Effect.yieldNow
    yield* Deferred.die(batches[0]?.end ?? Deferred.makeUnsafe<void>(), "the store is away")
    yield* Effect.yieldNow
    yield* Deferred.succeed(batches[1]?.end ?? Deferred.makeUnsafe<void>(), undefined)
    expect(Exit.isFailure(yield* Fiber.join(first))).toBe(true)
    expect(yield* Fiber.join(second)).toEqual(SubmitOutcome.Taken({ score: 2, changed: true }))
  }).pipe(Effect.provide(layer))
})
