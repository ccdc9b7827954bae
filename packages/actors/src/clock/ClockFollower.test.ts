import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { RoomTraffic } from "../rooms/RoomTraffic.ts"
import { ClockFollower } from "./ClockFollower.ts"

/** @param told what a room and a branch are told */
const follow = (told: { readonly room: Array<number>; readonly branch: Array<number> }) => {
  const roomOf = (isBranch: boolean, times: Array<number>) => {
    const process = { clockMoved: (nowMs: number) => times.push(nowMs) }
    // All that the follower uses of a room.
    return { incarnation: () => ({ isBranch, process }) } as unknown as AwakeRoom
  }
  return ClockFollower.pipe(
    Layer.provide(
      Layer.succeed(AwakeRooms, {
        make: () => Effect.die("no room is made here"),
        find: () => undefined,
        all: () => [roomOf(true, told.branch), roomOf(false, told.room)],
        traffic: new RoomTraffic(),
        close: () => undefined,
        closing: () => false
      })
    )
  )
}

describe("ClockFollower", () => {
  it.effect(
    "[D-49] a jump of the service's clock reaches the rooms, as the time that it is now, and no branch",
    () => {
      const told = { room: new Array<number>(), branch: new Array<number>() }
      return Effect.gen(function* () {
        yield* Effect.yieldNow
        assert.deepStrictEqual(told.room, [])
        yield* TestClock.adjust("1 hours")
        assert.strictEqual(told.room.at(-1), 3_600_000)
        assert.deepStrictEqual(told.branch, [])
      }).pipe(Effect.provide(follow(told)))
    }
  )
})
