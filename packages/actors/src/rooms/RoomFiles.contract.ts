import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { awakeAt, newRoomKey, reported } from "../store/testing/TestStores.ts"
import { AlarmStore } from "./AlarmStore.ts"
import { RoomFiles } from "./RoomFiles.ts"
import { Fenced, roomPrefix, savesPrefix } from "./RoomObjects.ts"
import { RoomStore } from "./RoomStore.ts"
import type { SaveReason } from "./SnapshotMachine.ts"

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const factsOf = (epoch: number, version = 1, generation: SaveReason | null = null) => ({
  at: { type: "arena", class: "large" as const, version, epoch, serverIndex: 0 },
  schemaHash: "0123456789abcdef",
  generation
})

/** A room that is awake under epoch 5. */
const awakeRoom = Effect.gen(function* () {
  const key = newRoomKey()
  yield* (yield* RoomStore).save(key, reported(awakeAt(5)))
  return { key, files: yield* RoomFiles }
})
const savesOf = Effect.fnUntraced(function* (key: RoomKey, version: number) {
  const entries = yield* (yield* ObjectStore).list(savesPrefix(key, version))
  return entries.map(({ storedAtMs, manifest }) => ({ storedAtMs, reason: manifest["reason"] }))
})

/**
 * What `RoomFiles` does over every layer of the stores below it.
 * @param name of the layer, as the report shows it
 */
export const roomFilesContract = (
  name: string,
  stores: Layer.Layer<RoomFiles | RoomStore | ObjectStore | AlarmStore, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[version.snapshot-across-versions] of a room that never was nothing is stored", () =>
      Effect.gen(function* () {
        const files = yield* RoomFiles
        const key = newRoomKey()
        expect(yield* files.load(key, 1)).toEqual({ snapshot: null, alarms: [] })
        expect(yield* files.storedType(key)).toBeNull()
      })
    )

    it.effect("[D-48] a state is loaded as it was stored, whatever its size", () =>
      Effect.gen(function* () {
        const { key, files } = yield* awakeRoom
        const states = [
          bytes(),
          bytes(0),
          new Uint8Array(300_000),
          Uint8Array.from({ length: 70_000 }, (_, index) => (index * index * 31) >> 3)
        ]
        for (const state of states) {
          yield* TestClock.adjust(1)
          yield* files.storeSnapshot(key, state, factsOf(5))
          const { snapshot } = yield* files.load(key, 1)
          expect(snapshot?.state).toEqual(state)
          expect(snapshot?.manifest.stateBytes).toBe(state.length)
        }
        expect(yield* files.storedType(key)).toBe("arena")
        expect(yield* savesOf(key, 1)).toEqual([])
      })
    )

    it.effect("[D-11] the manifest tells what is needed without reading the state", () =>
      Effect.gen(function* () {
        const { key, files } = yield* awakeRoom
        yield* TestClock.adjust(123)
        const takenAtMs = yield* Clock.currentTimeMillis
        yield* files.storeSnapshot(key, bytes(1, 2), factsOf(5, 3))
        expect((yield* files.load(key, 1)).snapshot?.manifest).toEqual({
          kind: "snapshot",
          type: "arena",
          class: "large",
          version: 3,
          epoch: 5,
          reason: null,
          schemaHash: "0123456789abcdef",
          takenAtMs,
          stateBytes: 2
        })
      })
    )

    it.effect(
      "[version.snapshot-across-versions] the newest state is loaded, also after a step back",
      () =>
        Effect.gen(function* () {
          const { key, files } = yield* awakeRoom
          const rooms = yield* RoomStore
          yield* files.storeSnapshot(key, bytes(1), factsOf(5, 1))
          yield* TestClock.adjust(1)
          yield* files.storeSnapshot(key, bytes(2), factsOf(5, 2))
          expect((yield* files.load(key, 1)).snapshot).toMatchObject({ state: bytes(2) })
          yield* rooms.save(key, reported(awakeAt(6)))
          yield* TestClock.adjust(1)
          yield* files.storeSnapshot(key, bytes(3), factsOf(6, 1))
          expect((yield* files.load(key, 1)).snapshot).toMatchObject({
            state: bytes(3),
            manifest: { version: 1 }
          })
        })
    )

    it.effect(
      "[saves.retention-10] [retention.saves] the newest ten are kept, of each version its own ten",
      () =>
        Effect.gen(function* () {
          const { key, files } = yield* awakeRoom
          const startMs = yield* Clock.currentTimeMillis
          const kept = Effect.map(savesOf(key, 2), (saves) =>
            saves.map(({ storedAtMs }) => storedAtMs - startMs).sort((one, other) => one - other)
          )
          yield* files.storeSnapshot(key, bytes(0), factsOf(5, 1, "hibernate"))
          for (let save = 1; save <= RoomLimits.saveGenerations.max; save++) {
            yield* TestClock.adjust(1)
            yield* files.storeSnapshot(key, bytes(save), factsOf(5, 2, "manual"))
          }
          expect(yield* kept).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
          yield* TestClock.adjust(1)
          yield* files.storeSnapshot(key, bytes(11), factsOf(5, 2, "interval"))
          expect(yield* kept).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
          expect(yield* savesOf(key, 2)).toContainEqual({
            storedAtMs: startMs + 11,
            reason: "interval"
          })
          expect(yield* savesOf(key, 1)).toEqual([{ storedAtMs: startMs, reason: "hibernate" }])
          expect((yield* files.load(key, 1)).snapshot).toMatchObject({ state: bytes(11) })
        })
    )

    it.effect("[storage.fence] an incarnation that is no longer the room's stores nothing", () =>
      Effect.gen(function* () {
        const { key, files } = yield* awakeRoom
        const rooms = yield* RoomStore
        const alarms = yield* AlarmStore
        yield* files.storeSnapshot(key, bytes(1), factsOf(5, 1, "manual"))
        yield* files.storeAlarms(key, 5, [{ name: "a", atMs: 50 }])
        const before = yield* files.load(key, 1)
        yield* rooms.save(key, reported(awakeAt(6)))
        const late = files.storeSnapshot(key, bytes(9), factsOf(5, 1, "manual"))
        expect(yield* Effect.flip(late)).toBeInstanceOf(Fenced)
        expect(yield* Effect.flip(files.storeAlarms(key, 5, []))).toBeInstanceOf(Fenced)
        expect(yield* files.load(key, 1)).toEqual(before)
        expect(yield* savesOf(key, 1)).toHaveLength(1)
        expect(yield* alarms.due(1000, 1000)).toContainEqual(key)
      })
    )

    it.effect("[D-48] alarms are loaded as they were set, and the earliest wakes the room", () =>
      Effect.gen(function* () {
        const { key, files } = yield* awakeRoom
        const alarms = yield* AlarmStore
        const set = [
          { name: "later 😀", atMs: 1_790_000_000_900.5 },
          { name: "sooner", atMs: 1_790_000_000_400, everyMs: 250.5 }
        ]
        yield* files.storeAlarms(key, 5, set)
        expect(yield* files.load(key, 1)).toEqual({ snapshot: null, alarms: set })
        expect(yield* alarms.due(1_790_000_000_399, 1000)).not.toContainEqual(key)
        expect(yield* alarms.due(1_790_000_000_400, 1000)).toContainEqual(key)
        yield* files.storeAlarms(key, 5, [{ name: "half", atMs: 1_790_000_000_500.5 }])
        expect(yield* alarms.due(1_790_000_000_499, 1000)).not.toContainEqual(key)
        yield* files.storeAlarms(key, 5, [])
        expect((yield* files.load(key, 1)).alarms).toEqual([])
        expect(yield* alarms.due(1_790_000_001_000, 1000)).not.toContainEqual(key)
      })
    )

    it.effect(
      "[C-701] state, saves and alarms of before a version are given up, and no others",
      () =>
        Effect.gen(function* () {
          const { key, files } = yield* awakeRoom
          const { key: other } = yield* awakeRoom
          const alarms = yield* AlarmStore
          for (const version of [2, 9, 10]) {
            yield* files.storeSnapshot(key, bytes(version), factsOf(5, version, "manual"))
            yield* files.storeSnapshot(other, bytes(version), factsOf(5, version, "manual"))
          }
          yield* files.storeAlarms(key, 5, [{ name: "a", atMs: 1_790_000_000_400 }])
          yield* files.discard(key, 10)
          const left = yield* (yield* ObjectStore).list(roomPrefix(key))
          expect(
            left.map(({ manifest }) => [manifest["kind"], manifest["version"]]).sort()
          ).toEqual([
            ["save", 10],
            ["snapshot", 10]
          ])
          expect(yield* alarms.due(1_790_000_000_400, 1000)).not.toContainEqual(key)
          expect(yield* (yield* ObjectStore).list(roomPrefix(other))).toHaveLength(6)
          yield* files.discard(key, 11)
          expect(yield* files.load(key, 10)).toEqual({ snapshot: null, alarms: [] })
        })
    )

    it.effect("[C-153] a room that starts without alarms is woken by none", () =>
      Effect.gen(function* () {
        const { key, files } = yield* awakeRoom
        const alarms = yield* AlarmStore
        yield* files.storeAlarms(key, 5, [])
        // The runner ended between the sidecar and the index.
        yield* alarms.setNext(key, 1_790_000_000_400)
        yield* files.load(key, 1)
        expect(yield* alarms.due(1_790_000_000_400, 1000)).not.toContainEqual(key)
        yield* files.storeAlarms(key, 5, [{ name: "a", atMs: 1_790_000_000_500 }])
        yield* alarms.setNext(key, null)
        yield* files.load(key, 1)
        expect(yield* alarms.due(1_790_000_000_500, 1000)).toContainEqual(key)
      })
    )
  })
