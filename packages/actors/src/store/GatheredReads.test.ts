import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"

import { GatheredReads } from "./GatheredReads.ts"

type Found = ReadonlyMap<string, number>

/** A store whose queries end when the test says so. */
const make = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const begun: Array<{
    readonly keys: ReadonlyArray<string>
    readonly end: Deferred.Deferred<Found>
  }> = []
  const reads = new GatheredReads<string, number>({
    run,
    most: 2,
    textOf: (key) => key,
    load: (keys) =>
      Effect.suspend(() => {
        const end = Deferred.makeUnsafe<Found>()
        begun.push({ keys, end })
        return Deferred.await(end)
      })
  })
  const ask = (key: string) => Effect.forkChild(Effect.exit(reads.read(key)))
  const end = Effect.fnUntraced(function* (place: number, exit: Exit.Exit<Found>) {
    yield* Deferred.done(begun[place]!.end, exit)
    yield* Effect.yieldNow
  })
  return { ask, begun, end, keys: () => begun.map(({ keys }) => keys) }
})

it.effect(
  "[limits.identitiesRead] keys that are asked for during a query share the next ones",
  () =>
    Effect.gen(function* () {
      const { ask, end, keys } = yield* make
      const fibers = [yield* ask("a")]
      yield* Effect.yieldNow
      for (const key of ["b", "a", "b", "c"]) fibers.push(yield* ask(key))
      yield* Effect.yieldNow
      expect(keys()).toEqual([["a"]])
      yield* end(0, Exit.succeed(new Map([["a", 1]])))
      expect(keys()).toEqual([["a"], ["b", "a"]])
      yield* end(
        1,
        Exit.succeed(
          new Map([
            ["b", 2],
            ["a", 3]
          ])
        )
      )
      yield* end(2, Exit.succeed(new Map()))
      expect(keys()).toEqual([["a"], ["b", "a"], ["c"]])
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      expect(answers).toEqual([1, 2, 3, 2, undefined].map(Exit.succeed))
    })
)

it.effect("[C-544] a failed query fails those who share it, and no other", () =>
  Effect.gen(function* () {
    const { ask, end } = yield* make
    const first = yield* ask("a")
    yield* Effect.yieldNow
    const second = yield* ask("a")
    yield* end(0, Exit.die("away"))
    yield* end(1, Exit.succeed(new Map([["a", 1]])))
    expect(yield* Fiber.join(first)).toEqual(Exit.die("away"))
    expect(yield* Fiber.join(second)).toEqual(Exit.succeed(1))
  })
)
