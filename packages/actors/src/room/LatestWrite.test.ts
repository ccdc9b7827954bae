import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"

import { LatestWrite } from "./LatestWrite.ts"

describe("LatestWrite", () => {
  it.effect("[D-48] stores in order, one at a time, and of those that wait only the newest", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const done: Array<number | string> = []
      const latest = new LatestWrite<number>({
        run: (effect) => Effect.runFork(effect),
        store: (value) =>
          Effect.andThen(
            Deferred.await(gate),
            Effect.sync(() => done.push(value))
          ),
        onSettled: () => done.push("settled")
      })
      for (const value of [1, 2, 3]) latest.write(value)
      assert.deepStrictEqual(done, [])
      yield* Deferred.succeed(gate, undefined)
      yield* latest.settled
      assert.deepStrictEqual(done, [1, 3, "settled"])
      latest.write(4)
      yield* latest.settled
      assert.deepStrictEqual(done, [1, 3, "settled", 4, "settled"])
    })
  )

  it.effect("[D-48] has settled when nothing was written", () =>
    Effect.gen(function* () {
      const latest = new LatestWrite<number>({
        run: (effect) => Effect.runFork(effect),
        store: () => Effect.never
      })
      yield* latest.settled
    })
  )
})
