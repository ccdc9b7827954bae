import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"

import { answeredWithin } from "./StoreAnswer.ts"

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(effect.pipe(Effect.provide(TestClock.layer())))

test("[C-45] an answer in time is the answer, and so is a failure", () =>
  run(
    Effect.gen(function* () {
      expect(yield* Effect.succeed(7).pipe(answeredWithin(100))).toBe(7)
      expect(yield* Effect.flip(Effect.fail("no").pipe(answeredWithin(100)))).toBe("no")
    })
  ))

test("[C-45] a query that cannot be cancelled keeps nobody waiting", () =>
  run(
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(
        Effect.flip(Effect.uninterruptible(Effect.never).pipe(answeredWithin(100)))
      )
      yield* TestClock.adjust(99)
      expect(waiting.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust(1)
      expect((yield* Fiber.join(waiting))._tag).toBe("TimeoutError")
    })
  ))
