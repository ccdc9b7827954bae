import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { TestTables } from "../store/testing/TestTables.ts"
import { PlayerStore } from "./PlayerStore.ts"

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const stored = (fields: Uint8Array, since = 0) => ({ fields, since })
const project = (last: number) => ProjectId.make(`p_000000000000000${last}`)

/**
 * The behaviour of every layer of `PlayerStore`.
 * @param name of the layer, as the report shows it
 */
export const playerStoreContract = (
  name: string,
  stores: Layer.Layer<PlayerStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[limits.player-fields.bytes] fields are read as they were written last", () =>
      Effect.gen(function* () {
        const players = yield* PlayerStore
        const [one, other] = [project(1), project(2)]
        expect(yield* players.load(one, "ann")).toBeNull()
        const all = Uint8Array.from({ length: 4096 }, (_, index) => index & 255)
        expect(yield* players.save(one, [{ playerId: "ann", fields: all }])).toEqual([])
        expect(yield* players.load(one, "ann")).toEqual(stored(all))
        const writes = [
          { playerId: "ann", fields: bytes(1) },
          { playerId: "Änn 😀", fields: bytes() },
          { playerId: "ann", fields: bytes(2) }
        ]
        expect(yield* players.save(one, writes)).toEqual([])
        expect(yield* players.load(one, "ann")).toEqual(stored(bytes(2)))
        expect(yield* players.load(one, "Änn 😀")).toEqual(stored(bytes()))
        expect(yield* players.load(other, "ann")).toBeNull()
      })
    )

    it.effect(
      "[limits.player-fields.players] the 10,000th player is written, the next is not",
      () =>
        Effect.gen(function* () {
          const players = yield* PlayerStore
          const full = project(3)
          yield* (yield* TestTables).addPlayers(full, RoomLimits.players.max - 1)
          const writes = [
            { playerId: "last", fields: bytes(1) },
            { playerId: "over", fields: bytes(1) },
            { playerId: "seed1", fields: bytes(7) }
          ]
          expect(yield* players.save(full, writes)).toEqual(["over"])
          expect(yield* players.load(full, "last")).toEqual(stored(bytes(1)))
          expect(yield* players.load(full, "over")).toBeNull()
          expect(yield* players.load(full, "seed1")).toEqual(stored(bytes(7)))
          expect(yield* players.save(project(4), [{ playerId: "over", fields: bytes(1) }])).toEqual(
            []
          )
        })
    )

    it.effect("[C-313] a write that was given up gives way to a newer one", () =>
      Effect.gen(function* () {
        const players = yield* PlayerStore
        const its = project(5)
        const write = (value: number, asOf: { readonly asOfMs?: number } = {}) =>
          players.save(its, [{ playerId: "ann", fields: bytes(value), ...asOf }])
        yield* TestClock.adjust("1 minute")
        expect(yield* write(1, { asOfMs: 10_000 })).toEqual([])
        expect(yield* write(2, { asOfMs: 9999 })).toEqual([])
        expect(yield* players.load(its, "ann")).toEqual(stored(bytes(1)))
        expect(yield* write(3, { asOfMs: 10_000 })).toEqual([])
        expect(yield* players.load(its, "ann")).toEqual(stored(bytes(3)))
        yield* write(4)
        expect(yield* write(5, { asOfMs: 59_999 })).toEqual([])
        expect(yield* players.load(its, "ann")).toEqual(stored(bytes(4)))
      })
    )

    // Last, as the clock goes on for all tests of the file.
    it.effect(
      "[limits.player-fields.retention] [C-94] fields go 90 days after their last write, and leave a place",
      () =>
        Effect.gen(function* () {
          const players = yield* PlayerStore
          const tables = yield* TestTables
          const kept = project(6)
          const write = (playerId: string, value: number) =>
            players.save(kept, [{ playerId, fields: bytes(value) }])
          yield* TestClock.adjust("1 day")
          yield* write("early", 1)
          yield* write("again", 1)
          yield* TestClock.adjust("60 days")
          yield* write("again", 2)
          yield* TestClock.adjust(RoomLimits.playerKept.ms - Duration.toMillis("60 days") - 1)
          expect(yield* players.load(kept, "early")).toEqual(stored(bytes(1)))
          yield* TestClock.adjust(1)
          expect(yield* players.load(kept, "early")).toBeNull()
          expect(yield* players.load(kept, "again")).toEqual(stored(bytes(2)))
          expect(yield* tables.countPlayers(kept)).toBe(2)
          expect(yield* write("new", 3)).toEqual([])
          expect(yield* tables.countPlayers(kept)).toBe(2)
          expect(yield* write("early", 4)).toEqual([])
          expect(yield* players.load(kept, "early")).toEqual(stored(bytes(4)))
        })
    )

    it.effect(
      "[C-707] a write never replaces one of a newer version, and is not refused for it",
      () =>
        Effect.gen(function* () {
          const players = yield* PlayerStore
          const its = project(9)
          const write = (value: number, since: number, asOfMs?: number) =>
            players.save(its, [
              {
                playerId: "ann",
                fields: bytes(value),
                since,
                ...(asOfMs === undefined ? {} : { asOfMs })
              }
            ])
          expect(yield* write(1, 4)).toEqual([])
          expect(yield* players.load(its, "ann")).toEqual(stored(bytes(1), 4))
          expect(yield* write(2, 3)).toEqual([])
          expect(yield* write(3, 0)).toEqual([])
          expect(yield* players.load(its, "ann")).toEqual(stored(bytes(1), 4))
          expect(yield* write(4, 4)).toEqual([])
          expect(yield* write(5, 7)).toEqual([])
          yield* TestClock.adjust("1 second")
          // A late write of an older version gives way, too, however late it is.
          expect(yield* write(6, 4, 1e15)).toEqual([])
          expect(yield* players.load(its, "ann")).toEqual(stored(bytes(5), 7))
        })
    )
  })
