import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { makeGate, makeProcess } from "../rooms/testing/FakeGate.ts"
import { handOver } from "./HandOver.ts"

const yes = Effect.succeed(true)

/** A room with one client in it, and the order in which things happen. */
const room = () => {
  const { gate, welcomed } = makeGate()
  const { process } = makeProcess()
  const client = welcomed("ann")
  const order: Array<string> = []
  const noted = (what: string): Effect.Effect<boolean> =>
    Effect.sync(() => {
      order.push(what, ...client.got.splice(0).map(([got]) => got))
      return true
    })
  process.settled = (then) => {
    order.push("settled")
    then()
  }
  return { gate, process, client, order, store: noted("store"), factsStored: noted("facts") }
}

it.effect("[C-416] what came is taken, stored and answered before the clients go", () =>
  Effect.gen(function* () {
    const { client, order, ...parts } = room()
    expect(yield* handOver(parts)).toBe(true)
    expect([order, client.got]).toEqual([
      ["settled", "store", "hold", "facts", "settled"],
      [["moved"]]
    ])
  })
)

it.effect("[C-416] clients of a room that is not stored, or whose facts are not, do not go", () =>
  Effect.gen(function* () {
    for (const failing of ["store", "factsStored"] as const) {
      const { client, order: _order, ...parts } = room()
      expect(yield* handOver({ ...parts, [failing]: Effect.succeed(false) })).toBe(false)
      expect(client.got.map(([what]) => what)).not.toContain("moved")
    }
  })
)

it.effect("[limits.handoverHold] a runner that does not answer is waited for a second", () =>
  Effect.gen(function* () {
    const { client, order, ...parts } = room()
    client.sink.hold = () => undefined
    const moving = yield* Effect.forkChild(handOver({ ...parts, factsStored: yes }), {
      startImmediately: true
    })
    yield* TestClock.adjust(HandoverLimits.handoverHold.ms - 1)
    expect(order).toEqual([])
    yield* TestClock.adjust(1)
    expect(yield* Fiber.join(moving)).toBe(true)
  })
)

it.effect(
  "[limits.handoverAnswers] a process that does not answer is waited for a second, twice",
  () =>
    Effect.gen(function* () {
      const { client, order, ...parts } = room()
      parts.process.settled = () => undefined
      const moving = yield* Effect.forkChild(handOver(parts), { startImmediately: true })
      yield* TestClock.adjust(HandoverLimits.handoverAnswers.ms - 1)
      expect(order).toEqual([])
      yield* TestClock.adjust(1)
      expect(order).toEqual(["store", "hold", "facts"])
      yield* TestClock.adjust(HandoverLimits.handoverAnswers.ms - 1)
      expect(client.got).toEqual([])
      yield* TestClock.adjust(1)
      expect([yield* Fiber.join(moving), client.got]).toEqual([true, [["moved"]]])
    })
)
