import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"

import { Batches } from "./Batches.ts"

/** Batches of at most three calls, which end when the test says so. */
const stage = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const begun: Array<{
    readonly calls: ReadonlyArray<string>
    readonly end: Deferred.Deferred<ReadonlyArray<string>>
  }> = []
  const batches = new Batches<string, string, string>({
    run,
    most: 3,
    nameOf: (call) => call.charAt(0),
    perform: (_, calls) =>
      Effect.suspend(() => {
        const end = Deferred.makeUnsafe<ReadonlyArray<string>>()
        begun.push({ calls, end })
        return Deferred.await(end)
      })
  })
  const ask = (call: string, group = "one") =>
    Effect.forkChild(Effect.exit(batches.ask(group, call)), { startImmediately: true })
  const end = Effect.fnUntraced(function* (at: number, exit?: Exit.Exit<ReadonlyArray<string>>) {
    const batch = begun[at]
    if (batch === undefined) throw new Error(`no batch ${at}`)
    const answers = Exit.succeed(batch.calls.map((call) => call.toUpperCase()))
    yield* Deferred.done(batch.end, exit ?? answers)
    yield* Effect.yieldNow
  })
  return { ask, end, calls: () => begun.map((batch) => batch.calls.join()) }
})

it.effect(
  "[C-640] calls that come meanwhile are performed together, in the order of each name",
  () =>
    Effect.gen(function* () {
      const { ask, end, calls } = yield* stage
      const asked = ["a1", "b1", "c1", "b2", "d1", "e1", "b3"]
      const fibers = yield* Effect.forEach(asked, (call) => ask(call))
      const other = yield* ask("a2", "other")
      expect(calls()).toEqual(["a1", "a2"])
      yield* end(0)
      yield* end(1)
      expect(calls().slice(2)).toEqual(["b1,c1,d1"])
      yield* end(2)
      expect(calls().slice(3)).toEqual(["b2,e1"])
      yield* end(3)
      yield* end(4)
      expect(calls().slice(4)).toEqual(["b3"])
      const answers = yield* Effect.forEach([...fibers, other], Fiber.join)
      expect(answers).toEqual([...asked, "a2"].map((call) => Exit.succeed(call.toUpperCase())))
    })
)

it.effect(
  "[C-640] a caller who gives up before the batch asks nothing; a batch that fails fails alone",
  () =>
    Effect.gen(function* () {
      const { ask, end, calls } = yield* stage
      const [first, gone, last] = [yield* ask("a"), yield* ask("b"), yield* ask("c")]
      yield* Fiber.interrupt(gone)
      yield* end(0, Exit.die("the store is away"))
      yield* end(1)
      expect(calls()).toEqual(["a", "c"])
      expect(yield* Fiber.join(first)).toEqual(Exit.die("the store is away"))
      expect(yield* Fiber.join(last)).toEqual(Exit.succeed("C"))
    })
)
