import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { newRoomKey } from "../store/testing/TestStores.ts"
import { AlarmStore } from "./AlarmStore.ts"

/**
 * The behaviour of every layer of `AlarmStore`.
 * @param name of the layer, as the report shows it
 */
export const alarmStoreContract = (name: string, stores: Layer.Layer<AlarmStore, unknown>): void =>
  layer(stores)(name, (it) => {
    const empty = Effect.gen(function* () {
      const alarms = yield* AlarmStore
      const left = yield* alarms.due(Number.MAX_SAFE_INTEGER, 1000)
      yield* Effect.forEach(left, (key) => alarms.setNext(key, null))
      return alarms
    })

    it.effect("[D-48] due rooms come longest overdue first, and not a millisecond early", () =>
      Effect.gen(function* () {
        const alarms = yield* empty
        const [late, later, soon] = [newRoomKey(), newRoomKey(), newRoomKey()]
        yield* alarms.setNext(soon, 1_790_000_000_300)
        yield* alarms.setNext(late, 1_790_000_000_200)
        yield* alarms.setNext(later, 1_790_000_000_100)
        expect(yield* alarms.due(1_790_000_000_099, 10)).toEqual([])
        expect(yield* alarms.due(1_790_000_000_100, 10)).toEqual([later])
        expect(yield* alarms.due(1_790_000_000_299, 10)).toEqual([later, late])
        expect(yield* alarms.due(1_790_000_000_300, 10)).toEqual([later, late, soon])
        expect(yield* alarms.due(1_790_000_000_300, 2)).toEqual([later, late])
      })
    )

    it.effect("[D-48] a room has one next alarm; setting none removes it", () =>
      Effect.gen(function* () {
        const alarms = yield* empty
        const [key, other] = [newRoomKey(), newRoomKey()]
        yield* alarms.setNext(key, 100)
        yield* alarms.setNext(other, 150)
        yield* alarms.setNext(key, 200)
        expect(yield* alarms.due(199, 10)).toEqual([other])
        yield* alarms.setNext(other, null)
        yield* alarms.setNext(other, null)
        expect(yield* alarms.due(1000, 10)).toEqual([key])
      })
    )

    it.effect("[D-48] tells when a room's alarm rings, and that it has none", () =>
      Effect.gen(function* () {
        const alarms = yield* empty
        const [key, other] = [newRoomKey(), newRoomKey()]
        expect(yield* alarms.next(key)).toBe(null)
        yield* alarms.setNext(key, 1_790_000_000_300)
        yield* alarms.setNext(other, 1_790_000_000_100)
        expect(yield* alarms.next(key)).toBe(1_790_000_000_300)
        yield* alarms.setNext(key, null)
        expect(yield* alarms.next(key)).toBe(null)
        expect(yield* alarms.next(other)).toBe(1_790_000_000_100)
      })
    )

    it.effect(
      "[C-153] the index agrees with what a room starts with; what was put off stays so",
      () =>
        Effect.gen(function* () {
          const alarms = yield* empty
          yield* TestClock.adjust(100)
          const [stale, missing] = [newRoomKey(), newRoomKey()]
          const [later, putOff] = [newRoomKey(), newRoomKey()]
          yield* alarms.setNext(stale, 50)
          yield* alarms.setNext(later, 900)
          yield* alarms.setNext(putOff, 700)
          yield* alarms.settle(stale, null)
          yield* alarms.settle(missing, 100)
          yield* alarms.settle(later, 101)
          yield* alarms.settle(putOff, 100)
          expect(yield* alarms.due(100, 10)).toEqual([missing])
          expect(yield* alarms.due(101, 10)).toEqual([missing, later])
          expect(yield* alarms.due(699, 10)).toEqual([missing, later])
          expect(yield* alarms.due(1000, 10)).toEqual([missing, later, putOff])
        })
    )

    it.effect("[C-36] an alarm is put off only while it is due", () =>
      Effect.gen(function* () {
        const alarms = yield* empty
        const [overdue, setAnew, none] = [newRoomKey(), newRoomKey(), newRoomKey()]
        yield* alarms.setNext(overdue, 100)
        yield* alarms.setNext(setAnew, 101)
        for (const key of [overdue, setAnew, none]) {
          yield* alarms.postpone(key, { nowMs: 100, untilMs: 500 })
        }
        expect(yield* alarms.due(499, 10)).toEqual([setAnew])
        expect(yield* alarms.due(1000, 10)).toEqual([setAnew, overdue])
      })
    )

    it.effect("[D-48] alarms of one moment come by project and room", () =>
      Effect.gen(function* () {
        const alarms = yield* empty
        const keys = [newRoomKey(), newRoomKey(), newRoomKey()]
        for (const key of keys.toReversed()) yield* alarms.setNext(key, 100)
        const byRoom = keys.map(({ roomId }) => roomId).sort()
        expect((yield* alarms.due(100, 10)).map(({ roomId }) => roomId)).toEqual(byRoom)
      })
    )
  })
