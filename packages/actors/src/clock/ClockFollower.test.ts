import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { RoomTraffic } from "../rooms/RoomTraffic.ts"
import { ClockFollower } from "./ClockFollower.ts"

const follow = (told: Array<number>) => {
  const room = {
    incarnation: () => ({ process: { clockMoved: (nowMs: number) => told.push(nowMs) } })
    // All that the follower uses of a room.
  } as unknown as AwakeRoom
  return ClockFollower.pipe(
    Layer.provide(
      Layer.succeed(AwakeRooms, {
        make: () => Effect.die("no room is made here"),
        find: () => undefined,
        all: () => [room],
        traffic: new RoomTraffic(),
        close: () => undefined,
        closing: () => false
      })
    )
  )
}

describe("ClockFollower", () => {
  it.effect(
    "[D-49] a jump of the service's clock reaches the rooms, as the time that it is now",
    () => {
      const told: Array<number> = []
      return Effect.gen(function* () {
        yield* Effect.yieldNow
        assert.deepStrictEqual(told, [])
        yield* TestClock.adjust("1 hours")
        assert.strictEqual(told.at(-1), 3_600_000)
      }).pipe(Effect.provide(follow(told)))
    }
  )
})
