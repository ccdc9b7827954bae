import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"

import { LatestWrite } from "./LatestWrite.ts"

describe("LatestWrite", () => {
  it.effect("[D-48] stores in order, one at a time, and of those that wait only the newest", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const done: Array<number> = []
      const latest = new LatestWrite<number>({
        run: (effect) => Effect.runFork(effect),
        store: (value) =>
          Effect.andThen(
            Deferred.await(gate),
            Effect.sync(() => done.push(value) > 0)
          )
      })
      for (const value of [1, 2, 3]) latest.write(value)
      assert.deepStrictEqual(done, [])
      yield* Deferred.succeed(gate, undefined)
      yield* latest.settled
      assert.deepStrictEqual(done, [1, 3])
      latest.write(4)
      yield* latest.settled
      assert.deepStrictEqual(done, [1, 3, 4])
    })
  )

  it.effect("[C-43] rests after each write, unless somebody waits for the next", () =>
    Effect.gen(function* () {
      const done: Array<number | string> = []
      const latest = new LatestWrite<number>({
        run: Effect.runForkWith(yield* Effect.context<never>()),
        store: (value) => Effect.sync(() => done.push(value) > 0),
        onIdle: () => done.push("idle")
      })
      const turn = Effect.repeat(Effect.yieldNow, { times: 20 })
      latest.write(1)
      yield* turn
      for (const value of [2, 3, 4]) latest.write(value)
      yield* TestClock.adjust(RoomProcessLimits.factsEvery.ms - 1)
      assert.deepStrictEqual(done, [1])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(done, [1, 4])
      latest.write(5)
      assert.isTrue(yield* latest.stored)
      latest.write(6)
      yield* latest.settled
      assert.deepStrictEqual(done, [1, 4, 5, 6])
      yield* TestClock.adjust(RoomProcessLimits.factsEvery.ms)
      assert.deepStrictEqual(done, [1, 4, 5, 6, "idle"])
      latest.write(7)
      yield* turn
      assert.deepStrictEqual(done, [1, 4, 5, 6, "idle", 7])
    })
  )

  it.effect("[D-48] has settled when nothing was written", () =>
    Effect.gen(function* () {
      const latest = new LatestWrite<number>({
        run: (effect) => Effect.runFork(effect),
        store: () => Effect.never
      })
      yield* latest.settled
      assert.isTrue(yield* latest.stored)
    })
  )

  it.effect("[C-58] a caller of `stored` waits for its own value, not for later ones", () =>
    Effect.gen(function* () {
      const works = new Map<number, Deferred.Deferred<boolean>>()
      for (const value of [1, 2, 3]) works.set(value, yield* Deferred.make<boolean>())
      const end = (value: number, stored: boolean) =>
        Deferred.succeed(works.get(value) ?? Deferred.makeUnsafe<boolean>(), stored)
      const told: Array<string> = []
      const ask = (who: string) =>
        Effect.forkChild(
          Effect.map(latest.stored, (stored) => told.push(`${who} ${stored ? "stored" : "lost"}`)),
          { startImmediately: true }
        )
      const latest = new LatestWrite<number>({
        run: (effect) => Effect.runFork(effect),
        store: (value) => {
          const work = works.get(value)
          return work === undefined ? Effect.succeed(true) : Deferred.await(work)
        }
      })
      latest.write(1)
      yield* ask("first")
      latest.write(2)
      yield* ask("second")
      latest.write(3)
      yield* ask("third")
      yield* end(1, true)
      yield* Effect.repeat(Effect.yieldNow, { times: 20 })
      assert.deepStrictEqual(told, ["first stored"])
      // Two was never stored: three came in its place, and holds for both.
      yield* end(3, false)
      yield* latest.settled
      yield* Effect.repeat(Effect.yieldNow, { times: 20 })
      assert.deepStrictEqual(told, ["first stored", "second lost", "third lost"])
    })
  )

  it.effect("[C-313] a value that was given up is not stored until a later attempt stores it", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      let stores = false
      let idle = 0
      const latest = new LatestWrite<number>({
        run: Effect.runForkWith(yield* Effect.context<never>()),
        store: (value, again) =>
          Effect.sync(() => {
            asked.push(`${value}${again ? " again" : ""}`)
            return stores
          }),
        onIdle: () => idle++
      })
      latest.write(1)
      yield* TestClock.adjust(RoomProcessLimits.factsEvery.ms)
      assert.strictEqual(idle, 0)
      assert.isFalse(yield* latest.stored)
      assert.isFalse(yield* latest.stored)
      assert.deepStrictEqual(asked, ["1", "1 again", "1 again"])
      stores = true
      assert.isTrue(yield* latest.stored)
      assert.isTrue(yield* latest.stored)
      assert.strictEqual(asked.length, 4)
      yield* TestClock.adjust(RoomProcessLimits.factsEvery.ms)
      assert.strictEqual(idle, 1)
    })
  )

  it.effect("[C-313] a newer value takes the place of one that was given up", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const latest = new LatestWrite<number>({
        run: Effect.runForkWith(yield* Effect.context<never>()),
        store: (value) => Effect.sync(() => asked.push(value) > 1)
      })
      latest.write(1)
      latest.write(2)
      assert.isTrue(yield* latest.stored)
      assert.deepStrictEqual(asked, [1, 2])
    })
  )
})
