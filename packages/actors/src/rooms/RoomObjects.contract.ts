import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { awakeAt, newRoomKey, reported } from "../store/testing/TestStores.ts"
import { alarmKey, Fenced, RoomObjects, saveKey, savesPrefix, snapshotKey } from "./RoomObjects.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const object = (key: string, ...values: ReadonlyArray<number>) => ({
  key,
  bytes: bytes(...values),
  manifest: {}
})
let spaces = 0
/** A prefix of its own for each test. */
const space = () => `fenced${++spaces}/`

/** A room whose row is awake at an epoch, and a prefix of its own for what it stores. */
const roomAt = (epoch: number) =>
  Effect.gen(function* () {
    const [objects, fenced, rooms] = [yield* ObjectStore, yield* RoomObjects, yield* RoomStore]
    const [key, root] = [newRoomKey(), space()]
    yield* rooms.save(key, reported(awakeAt(epoch)))
    return { objects, fenced, rooms, key, root }
  })

/**
 * The behaviour of every layer of `RoomObjects`.
 * @param name of the layer, as the report shows it
 */
export const roomObjectsContract = (
  name: string,
  stores: Layer.Layer<RoomObjects | ObjectStore | RoomStore, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[storage.fence] the row's epoch writes all of its objects", () =>
      Effect.gen(function* () {
        const { objects, fenced, key, root } = yield* roomAt(5)
        const pair = [object(`${root}a`, 1), object(`${root}b`, 2)]
        yield* fenced.put(pair, { ...key, epoch: 5 })
        expect((yield* objects.list(root)).map(({ key: name }) => name)).toEqual(
          pair.map((it) => it.key)
        )
      })
    )

    it.effect("[storage.fence] no row, an older and a newer epoch write nothing", () =>
      Effect.gen(function* () {
        const { objects, fenced, key: known, root } = yield* roomAt(5)
        yield* objects.put(object(`${root}a`, 1))
        const other = { ...known, roomId: newRoomKey().roomId }
        for (const fence of [
          { ...known, epoch: 4 },
          { ...known, epoch: 6 },
          { ...other, epoch: 5 }
        ]) {
          const pair = [object(`${root}a`, 9), object(`${root}b`, 9)]
          const refused = yield* Effect.flip(fenced.put(pair, fence))
          expect(refused).toEqual(new Fenced({ fence }))
        }
        expect(Option.getOrThrow(yield* objects.get(`${root}a`))).toEqual(bytes(1))
        expect(yield* objects.list(root)).toHaveLength(1)
      })
    )

    it.effect("[storage.fence] an incarnation may write on while its room is put away", () =>
      Effect.gen(function* () {
        const { objects, fenced, rooms, key, root } = yield* roomAt(5)
        yield* rooms.save(key, reported(RoomState.Hibernated({ type: "arena" })))
        yield* fenced.put([object(`${root}a`)], { ...key, epoch: 5 })
        yield* rooms.save(key, reported(awakeAt(7)))
        yield* Effect.flip(fenced.put([object(`${root}b`)], { ...key, epoch: 5 }))
        expect(yield* objects.list(root)).toHaveLength(1)
      })
    )

    it.effect("[storage.fence] both objects of one write are stored, or none", () =>
      Effect.gen(function* () {
        const { objects, fenced, key, root } = yield* roomAt(5)
        // No key holds a NUL: the second write of the two fails.
        const pair = [object(`${root}a`, 1), object(`${root}\u0000`, 2)]
        const exit = yield* Effect.exit(fenced.put(pair, { ...key, epoch: 5 }))
        expect(exit._tag).toBe("Failure")
        expect(yield* objects.list(root)).toEqual([])
      })
    )

    it.effect(
      "[storage.save.generations] of a version the newest ten are kept: of the latest epoch, then of the latest moment",
      () =>
        Effect.gen(function* () {
          const { objects, fenced, key } = yield* roomAt(5)
          const save = (version: number, epoch: number, name: string) => ({
            key: saveKey(key, { version, saveId: `sv_${name}` }),
            bytes: bytes(1),
            manifest: {
              kind: "save",
              type: "arena",
              class: "standard",
              version,
              schemaHash: "0",
              epoch,
              reason: "manual",
              takenAtMs: 0,
              stateBytes: 1
            }
          })
          const store = (version: number, epoch: number, name: string) =>
            fenced.put([save(version, epoch, name)], { ...key, epoch: 5 })
          const names = (version: number) =>
            Effect.map(objects.list(savesPrefix(key, version)), (entries) =>
              entries.map((entry) => entry.key.slice(-2))
            )
          yield* store(2, 1, "z1")
          yield* TestClock.adjust(1000)
          for (let at = 0; at < 9; at++) yield* store(1, 5, `b${at}`)
          // Stored last, by an earlier incarnation.
          yield* TestClock.adjust(1000)
          yield* store(1, 4, "a1")
          yield* fenced.prune(key, 1)
          expect(yield* names(1)).toHaveLength(10)
          yield* store(1, 5, "c1")
          yield* fenced.prune(key, 1)
          expect(yield* names(1)).toEqual([..."012345678"].map((at) => `b${at}`).concat("c1"))
          yield* store(1, 5, "c2")
          yield* fenced.prune(key, 1)
          // Of the same moment the lowest key goes first.
          expect(yield* names(1)).toEqual([..."12345678"].map((at) => `b${at}`).concat("c1", "c2"))
          expect(yield* names(2)).toEqual(["z1"])
        })
    )

    it.effect(
      "[storage.fence] a new epoch waits for a write that is under way, and ends the next",
      () =>
        Effect.gen(function* () {
          const { objects, fenced, rooms, key, root } = yield* roomAt(1)
          const writes = Effect.forEach(
            Array.from({ length: 20 }, (_, index) => index),
            (index) =>
              fenced
                .put([object(`${root}${index}a`), object(`${root}${index}b`)], {
                  ...key,
                  epoch: 1
                })
                .pipe(
                  Effect.as(2),
                  Effect.catchTag("Fenced", () => Effect.succeed(0))
                ),
            { concurrency: 4 }
          )
          const [written] = yield* Effect.all([writes, rooms.save(key, reported(awakeAt(2)))], {
            concurrency: 2
          })
          const sum = written.reduce<number>((total, one) => total + one, 0)
          expect(yield* objects.list(root)).toHaveLength(sum)
          yield* Effect.flip(fenced.put([object(`${root}late`)], { ...key, epoch: 1 }))
        })
    )

    it.effect(
      "[C-700] what is stored of rooms of some types is counted, of one project alone",
      () =>
        Effect.gen(function* () {
          const [objects, fenced] = [yield* ObjectStore, yield* RoomObjects]
          const projectId = ProjectId.make("p_00000000000c0700")
          const other = ProjectId.make("p_00000000000c0701")
          const keyOf = (project: ProjectId, room: string) => ({
            projectId: project,
            roomId: RoomId.make(room)
          })
          const stored = (kind: string, key: string, type: string) =>
            objects.put({ key, bytes: bytes(1), manifest: { ...manifestOf(type), kind } })
          const [one, two] = [keyOf(projectId, "one"), keyOf(projectId, "two")]
          // A room has a snapshot of each version that it ran.
          yield* stored("snapshot", snapshotKey(one, 1), "arena")
          yield* stored("snapshot", snapshotKey(one, 2), "arena")
          yield* stored("save", saveKey(one, { version: 1, saveId: "sv_1" }), "arena")
          yield* stored("save", saveKey(one, { version: 2, saveId: "sv_2" }), "arena")
          yield* stored("snapshot", snapshotKey(two, 1), "chess")
          yield* stored("save", saveKey(two, { version: 1, saveId: "sv_3" }), "chess")
          yield* objects.put({ key: alarmKey(one), bytes: bytes(1), manifest: { kind: "alarm" } })
          yield* stored("snapshot", snapshotKey(keyOf(other, "one"), 1), "arena")
          expect(yield* fenced.count(projectId, ["arena"])).toEqual({ rooms: 1, saves: 2 })
          expect(yield* fenced.count(projectId, ["arena", "chess"])).toEqual({ rooms: 2, saves: 3 })
          expect(yield* fenced.count(projectId, ["gone"])).toEqual({ rooms: 0, saves: 0 })
        })
    )
  })

const manifestOf = (type: string) => ({
  type,
  class: "standard",
  version: 1,
  schemaHash: "x",
  epoch: 1,
  reason: null,
  takenAtMs: 1,
  stateBytes: 1
})
