import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { CapReached, RoomNotFound, TenantWaking } from "@atrium/domain/shared/Refusal"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

import { TestCluster } from "../servers/testing/TestCluster.ts"
import { AlarmClock } from "./AlarmClock.ts"
import { AlarmStore } from "./AlarmStore.ts"
import { fakeRooms } from "./testing/FakeRooms.ts"
import { lookTimes, onTime } from "./testing/LookTimes.ts"

const wakeOf = (
  room: string
): Effect.Effect<
  { epoch: number; serverIndex: number },
  RoomNotFound | TenantWaking | CapReached
> => {
  if (room === "walled") return Effect.fail(new CapReached({ message: "dataOutBytes: a cap" }))
  if (room === "gone") return Effect.fail(new RoomNotFound({ message: "gone" }))
  if (room === "away") return Effect.fail(new TenantWaking({ message: "away" }))
  if (room === "broken") return Effect.die(new Error("a bug"))
  return Effect.succeed({ epoch: 1, serverIndex: 0 })
}

/** An index in which the alarms of these rooms are due at every look, and what is done of it. */
const ringing = (rooms: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const looks: Array<number> = []
  const store = Layer.mock(AlarmStore, {
    due: (nowMs, most) =>
      Effect.sync(() => {
        looks.push(nowMs)
        return rooms.slice(0, most).map((room) => ({
          projectId: ProjectId.make("p_0123456789abcdef"),
          roomId: RoomId.make(room)
        }))
      }),
    postpone: ({ roomId }, { nowMs, untilMs }) =>
      Effect.sync(() => void lines.push(`${roomId}: put off by ${untilMs - nowMs}`)),
    setNext: ({ roomId }, dueAtMs) =>
      Effect.sync(() => void lines.push(`${roomId}: set to ${String(dueAtMs)}`)),
    settle: () => Effect.die("a room that starts does this")
  })
  const actors = fakeRooms((key) => ({
    Wake: ({ payload: { create } }) =>
      Effect.suspend(() => {
        const room = key.slice(key.indexOf("/") + 1)
        lines.push(`${room}: woken${create ? " or made" : ""}`)
        return wakeOf(room)
      })
  }))
  const running = Layer.mergeAll(AlarmClock, actors).pipe(
    Layer.provideMerge(TestCluster),
    Layer.provide(store),
    Layer.provideMerge(Logger.layer([]))
  )
  return { lines, looks, running }
}

it.effect("[D-48] the alarm of a room that is gone is taken out of the index, no other is", () => {
  const { lines, looks, running } = ringing(["gone", "there", "away", "broken", "walled"])
  return Effect.gen(function* () {
    // A look begins when the one before has done all that it does.
    while (looks.length < 2) yield* TestClock.adjust("1 second")
    const linesOf = (room: string) => lines.filter((line) => line.startsWith(`${room}: `))
    const putOff = `put off by ${RoomLimits.alarmRetry.ms}`
    expect(linesOf("gone").slice(0, 3)).toEqual([
      `gone: ${putOff}`,
      "gone: woken",
      "gone: set to null"
    ])
    for (const room of ["there", "away", "broken", "walled"]) {
      // Put off first: a room that ends who wakes it would be woken at every look.
      expect(linesOf(room).slice(0, 2)).toEqual([`${room}: ${putOff}`, `${room}: woken`])
      expect(linesOf(room)).not.toContain(`${room}: set to null`)
    }
  }).pipe(Effect.provide(running))
})

it.effect("[D-48] alarms are looked at every second, and not a millisecond earlier", () => {
  const { looks, running } = ringing([])
  return Effect.gen(function* () {
    expect(yield* lookTimes(looks, RoomLimits.alarmLook.ms)).toEqual(
      onTime(RoomLimits.alarmLook.ms)
    )
  }).pipe(Effect.provide(running))
})
