import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { newRoomKey } from "../store/testing/TestStores.ts"
import { moveRooms } from "./RoomMover.ts"

/** Rooms on an old version, by the look at which they are seen first. */
const makePort = (seen: ReadonlyArray<ReadonlyArray<RoomKey>>) => {
  const old = new Set<RoomKey>()
  const port = {
    looks: 0,
    asked: [] as Array<RoomKey>,
    way: Effect.void as Effect.Effect<void, unknown>,
    upOnOlder: Effect.sync(() => {
      for (const key of seen[port.looks] ?? []) old.add(key)
      port.looks++
      return [...old]
    }),
    makeWay: (key: RoomKey) =>
      Effect.suspend(() => {
        port.asked.push(key)
        return Effect.tap(port.way, () => Effect.sync(() => old.delete(key)))
      })
  }
  return port
}

it.effect("[C-57] every room is moved, and three quiet looks are the end", () =>
  Effect.gen(function* () {
    const keys = Array.from({ length: 9 }, newRoomKey)
    const port = makePort([keys])
    const moving = yield* Effect.forkChild(moveRooms(port))
    yield* TestClock.adjust(3 * RoomLimits.moveLook.ms)
    yield* Fiber.join(moving)
    expect(port.asked).toEqual(keys)
    expect(port.looks).toBe(4)
  })
)

it.effect("[C-57] a room that is seen only later is moved, too", () =>
  Effect.gen(function* () {
    const [early, late] = [newRoomKey(), newRoomKey()]
    const port = makePort([[early], [], [], [late]])
    const moving = yield* Effect.forkChild(moveRooms(port))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(moving)
    expect(port.asked).toEqual([early, late])
    expect(port.looks).toBe(7)
  })
)

it.effect.each([
  ["fails", Effect.fail("no server")],
  ["dies", Effect.die(new Error("no database"))],
  ["does not answer", Effect.never]
] as const)("[C-57] a room whose way out %s is asked again", ([, failure]) =>
  Effect.gen(function* () {
    const stuck = newRoomKey()
    const port = makePort([[stuck]])
    port.way = failure
    const moving = yield* Effect.forkChild(moveRooms(port))
    yield* TestClock.adjust(ServiceLimits.actorCall.ms)
    expect(port.asked.length).toBeGreaterThan(0)
    port.way = Effect.void
    port.asked = []
    yield* TestClock.adjust(ServiceLimits.actorCall.ms + 5 * RoomLimits.moveLook.ms)
    yield* Fiber.join(moving)
    expect(port.asked).toEqual([stuck])
  })
)

it.effect(
  "[C-57] a store that is away is looked into again; rooms that never move are given up",
  () =>
    Effect.gen(function* () {
      let looks = 0
      const key = newRoomKey()
      const upOnOlder = Effect.suspend(() => {
        looks++
        return looks === 1 ? Effect.die(new Error("no database")) : Effect.succeed([key])
      })
      let asked = 0
      const makeWay = () => Effect.sync(() => void asked++)
      const moving = yield* Effect.forkChild(moveRooms({ upOnOlder, makeWay }))
      yield* TestClock.adjust(RoomLimits.moveLooks.max * RoomLimits.moveLook.ms)
      yield* Fiber.join(moving)
      expect([looks, asked]).toEqual([RoomLimits.moveLooks.max, RoomLimits.moveLooks.max - 1])
    })
)
