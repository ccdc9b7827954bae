import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"

import { SharedReads } from "./SharedReads.ts"

/** A store whose reads end when the test says so. */
const make = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const begun: Array<{ readonly key: string; readonly end: Deferred.Deferred<number, string> }> = []
  const reads = new SharedReads<number, string>({
    run,
    load: (key) =>
      Effect.suspend(() => {
        const end = Deferred.makeUnsafe<number, string>()
        begun.push({ key, end })
        return Deferred.await(end)
      })
  })
  const ask = (key: string) => Effect.forkChild(Effect.exit(reads.read(key)))
  const end = Effect.fnUntraced(function* (place: number, exit: Exit.Exit<number, string>) {
    yield* Deferred.done(begun[place]!.end, exit)
    yield* Effect.yieldNow
  })
  return { ask, begun, end }
})

it.effect("[D-25] a question during a read shares the next read, which begins later", () =>
  Effect.gen(function* () {
    const { ask, begun, end } = yield* make
    const first = yield* ask("p")
    yield* Effect.yieldNow
    const later = [yield* ask("p"), yield* ask("p"), yield* ask("p")]
    yield* Effect.yieldNow
    expect(begun.map(({ key }) => key)).toEqual(["p"])
    yield* end(0, Exit.succeed(1))
    expect(yield* Fiber.join(first)).toEqual(Exit.succeed(1))
    expect(begun.map(({ key }) => key)).toEqual(["p", "p"])
    yield* end(1, Exit.succeed(2))
    for (const fiber of later) expect(yield* Fiber.join(fiber)).toEqual(Exit.succeed(2))
  })
)

it.effect("[D-25] keys do not wait for each other; a failed read fails those who share it", () =>
  Effect.gen(function* () {
    const { ask, begun, end } = yield* make
    const one = yield* ask("one")
    const two = yield* ask("two")
    yield* Effect.yieldNow
    expect(begun.map(({ key }) => key)).toEqual(["one", "two"])
    yield* end(0, Exit.fail("away"))
    expect(yield* Fiber.join(one)).toEqual(Exit.fail("away"))
    const again = yield* ask("one")
    yield* Effect.yieldNow
    yield* end(1, Exit.succeed(2))
    yield* end(2, Exit.succeed(3))
    expect(yield* Fiber.join(two)).toEqual(Exit.succeed(2))
    expect(yield* Fiber.join(again)).toEqual(Exit.succeed(3))
  })
)
