import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

import { RoomStarts } from "./RoomStarts.ts"

/** A server whose starts end when the test says so. */
const makeServer = () => {
  const held = new Set<string>()
  const begun: Array<string> = []
  const starts = new RoomStarts<string, string>({
    unwanted: "unwanted",
    holds: (roomId) => held.has(roomId)
  })
  const order = (roomId: string, epoch: number, work: Effect.Effect<string, string>) =>
    Effect.forkChild(
      starts
        .once(
          { roomId, epoch },
          Effect.suspend(() => {
            begun.push(`${roomId} ${epoch}`)
            return work
          })
        )
        .pipe(Effect.catch((refusal) => Effect.succeed(refusal))),
      { startImmediately: true }
    )
  return { begun, held, order, starts }
}

describe("RoomStarts", () => {
  it.effect("[C-312] an order that comes again gets the outcome of the first one's process", () =>
    Effect.gen(function* () {
      const { begun, order } = makeServer()
      const loaded = yield* Deferred.make<string>()
      const first = yield* order("r", 1, Deferred.await(loaded))
      const again = yield* order("r", 1, Effect.succeed("a second process"))
      yield* Deferred.succeed(loaded, "the first process")
      assert.strictEqual(yield* Fiber.join(first), "the first process")
      assert.strictEqual(yield* Fiber.join(again), "the first process")
      const late = yield* order("r", 1, Effect.succeed("a third process"))
      assert.strictEqual(yield* Fiber.join(late), "the first process")
      assert.deepStrictEqual(begun, ["r 1"])
    })
  )

  it.effect("[C-312] an order that was refused stays refused when it comes again", () =>
    Effect.gen(function* () {
      const { begun, order } = makeServer()
      const full = yield* order("r", 1, Effect.fail("full"))
      assert.strictEqual(yield* Fiber.join(full), "full")
      const again = yield* order("r", 1, Effect.succeed("a process beside the next server's"))
      assert.strictEqual(yield* Fiber.join(again), "full")
      assert.deepStrictEqual(begun, ["r 1"])
    })
  )

  it.effect(
    "[C-316] the order of a start that was cut short is refused, and the next one starts",
    () =>
      Effect.gen(function* () {
        const { begun, order } = makeServer()
        const first = yield* order("r", 1, Effect.never)
        const again = yield* order("r", 1, Effect.succeed("a second process"))
        yield* Fiber.interrupt(first)
        assert.strictEqual(yield* Fiber.join(again), "unwanted")
        const next = yield* order("r", 2, Effect.succeed("two"))
        assert.strictEqual(yield* Fiber.join(next), "two")
        assert.deepStrictEqual(begun, ["r 1", "r 2"])
      })
  )

  it.effect("[C-312] the next epoch waits for the start before it, and an older one is late", () =>
    Effect.gen(function* () {
      const { begun, order } = makeServer()
      const loaded = yield* Deferred.make<string>()
      const first = yield* order("r", 1, Deferred.await(loaded))
      const next = yield* order("r", 2, Effect.succeed("two"))
      const other = yield* order("other", 1, Effect.succeed("beside"))
      assert.strictEqual(yield* Fiber.join(other), "beside")
      assert.deepStrictEqual(begun, ["r 1", "other 1"])
      yield* Deferred.succeed(loaded, "one")
      assert.strictEqual(yield* Fiber.join(first), "one")
      assert.strictEqual(yield* Fiber.join(next), "two")
      const late = yield* order("r", 1, Effect.succeed("the old one"))
      assert.strictEqual(yield* Fiber.join(late), "unwanted")
      assert.deepStrictEqual(begun, ["r 1", "other 1", "r 2"])
    })
  )

  it.effect(
    "[C-312] an incarnation that was given up does not start, neither when its order is late nor when it waits",
    () =>
      Effect.gen(function* () {
        const { begun, order, starts } = makeServer()
        starts.giveUp({ roomId: "r", epoch: 1 })
        const late = yield* order("r", 1, Effect.succeed("a stray"))
        assert.strictEqual(yield* Fiber.join(late), "unwanted")
        const loaded = yield* Deferred.make<string>()
        const second = yield* order("r", 2, Deferred.await(loaded))
        const third = yield* order("r", 3, Effect.succeed("a stray"))
        starts.giveUp({ roomId: "r", epoch: 2 })
        starts.giveUp({ roomId: "r", epoch: 3 })
        yield* Deferred.succeed(loaded, "two")
        assert.strictEqual(yield* Fiber.join(second), "two")
        assert.strictEqual(yield* Fiber.join(third), "unwanted")
        assert.deepStrictEqual(begun, ["r 2"])
      })
  )

  it.effect("[C-312] it forgets the room that started the longest ago, unless it holds it", () =>
    Effect.gen(function* () {
      const { begun, held, order, starts } = makeServer()
      held.add("held")
      const again = (roomId: string) =>
        Effect.flatMap(order(roomId, 1, Effect.succeed("up")), Fiber.join)
      yield* again("held")
      yield* again("gone")
      const more = ServerLimits.startsKnown.max - 2
      for (let index = 0; index < more; index++) yield* again(`room ${index}`)
      assert.strictEqual(starts.size, ServerLimits.startsKnown.max)
      yield* again("gone")
      assert.strictEqual(begun.filter((start) => start === "gone 1").length, 1)
      yield* again("one past the bound")
      assert.strictEqual(starts.size, ServerLimits.startsKnown.max)
      yield* again("held")
      yield* again("gone")
      assert.strictEqual(begun.filter((start) => start === "held 1").length, 1)
      assert.strictEqual(begun.filter((start) => start === "gone 1").length, 2)
    })
  )
})
