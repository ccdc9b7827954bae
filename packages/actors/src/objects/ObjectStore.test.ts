import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"

import { RoomState } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { awakeAt, newRoomKey, reported, TestStores } from "../store/testing/TestStores.ts"
import { Fenced, ObjectStore } from "./ObjectStore.ts"

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const object = (key: string, ...values: ReadonlyArray<number>) => ({
  key,
  bytes: bytes(...values),
  manifest: {}
})
let spaces = 0
/** A prefix of its own for each test. */
const space = () => `space${++spaces}/`

layer(TestStores)((it) => {
  it.effect("[storage.objects] what is put is got back, byte for byte", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const key = space()
      const contents = [
        bytes(),
        bytes(0),
        Uint8Array.from({ length: 256 }, (_, index) => index),
        new Uint8Array(1024 * 1024).fill(0x5c)
      ]
      for (const content of contents) {
        yield* objects.put({ key, bytes: content, manifest: {} })
        const stored = Option.getOrThrow(yield* objects.get(key))
        expect(Buffer.compare(Buffer.from(stored), Buffer.from(content))).toBe(0)
      }
      expect(Option.isNone(yield* objects.get(`${key}x`))).toBe(true)
    })
  )

  it.effect("[storage.objects] a second put replaces bytes, manifest and moment", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const key = `${space()}a`
      yield* TestClock.setTime(61_001)
      yield* objects.put({ key, bytes: bytes(1, 2), manifest: { a: 1, b: [null, "x"] } })
      yield* TestClock.setTime(61_002)
      const manifest = { c: { d: true } }
      yield* objects.put({ key, bytes: bytes(3), manifest })
      expect(yield* objects.list(key)).toEqual([
        { key, sizeBytes: 1, storedAtMs: 61_002, manifest }
      ])
    })
  )

  it.effect("[storage.objects] a list is all of one prefix, whatever its characters, by key", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const root = space()
      const names = [
        "a%/1",
        "a%/Z",
        "a%/a",
        "a%/~",
        "a%/é",
        "a_/1",
        "ab/1",
        "a\\/1",
        "a",
        "A%/1",
        "a'/1"
      ]
      for (const name of names) yield* objects.put(object(root + name))
      const list = (prefix: string) =>
        Effect.map(objects.list(root + prefix), (entries) =>
          entries.map(({ key }) => key.slice(root.length))
        )
      expect(yield* list("a%/")).toEqual(["a%/1", "a%/Z", "a%/a", "a%/~", "a%/é"])
      expect(yield* list("a_/")).toEqual(["a_/1"])
      expect(yield* list("a\\/")).toEqual(["a\\/1"])
      expect(yield* list("a'/")).toEqual(["a'/1"])
      expect(yield* list("a\\")).toEqual(["a\\/1"])
      expect(yield* list("%")).toEqual([])
      expect(yield* list("")).toEqual([...names].sort())
    })
  )

  it.effect("[storage.objects] a delete removes what it names and nothing else", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const root = space()
      for (const name of ["a", "b", "ab"]) yield* objects.put(object(root + name))
      yield* objects.delete([])
      yield* objects.delete([`${root}a`, `${root}b`, `${root}never`])
      expect((yield* objects.list(root)).map(({ key }) => key)).toEqual([`${root}ab`])
    })
  )

  it.effect("[storage.fence] the row's epoch writes all of its objects", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const rooms = yield* RoomStore
      const key = newRoomKey()
      const root = space()
      yield* rooms.save(key, reported(awakeAt(5)))
      const pair = [object(`${root}a`, 1), object(`${root}b`, 2)]
      yield* objects.putFenced(pair, { ...key, epoch: 5 })
      expect((yield* objects.list(root)).map(({ key: name }) => name)).toEqual(
        pair.map((it) => it.key)
      )
    })
  )

  it.effect("[storage.fence] no row, an older and a newer epoch write nothing", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const rooms = yield* RoomStore
      const known = newRoomKey()
      const root = space()
      yield* rooms.save(known, reported(awakeAt(5)))
      yield* objects.put(object(`${root}a`, 1))
      const other = { ...known, roomId: newRoomKey().roomId }
      for (const fence of [
        { ...known, epoch: 4 },
        { ...known, epoch: 6 },
        { ...other, epoch: 5 }
      ]) {
        const pair = [object(`${root}a`, 9), object(`${root}b`, 9)]
        const refused = yield* Effect.flip(objects.putFenced(pair, fence))
        expect(refused).toEqual(new Fenced({ fence }))
      }
      expect(Option.getOrThrow(yield* objects.get(`${root}a`))).toEqual(bytes(1))
      expect(yield* objects.list(root)).toHaveLength(1)
    })
  )

  it.effect("[storage.fence] an incarnation may write on while its room is put away", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const rooms = yield* RoomStore
      const key = newRoomKey()
      const root = space()
      yield* rooms.save(key, reported(awakeAt(5)))
      yield* rooms.save(key, reported(RoomState.Hibernated({ type: "arena" })))
      yield* objects.putFenced([object(`${root}a`)], { ...key, epoch: 5 })
      yield* rooms.save(key, reported(awakeAt(7)))
      yield* Effect.flip(objects.putFenced([object(`${root}b`)], { ...key, epoch: 5 }))
      expect(yield* objects.list(root)).toHaveLength(1)
    })
  )

  it.effect("[storage.fence] both objects of one write are stored, or none", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const rooms = yield* RoomStore
      const key = newRoomKey()
      const root = space()
      yield* rooms.save(key, reported(awakeAt(5)))
      // PostgreSQL takes no NUL in a text: the second write of the two fails.
      const pair = [object(`${root}a`, 1), object(`${root}\u0000`, 2)]
      const exit = yield* Effect.exit(objects.putFenced(pair, { ...key, epoch: 5 }))
      expect(exit._tag).toBe("Failure")
      expect(yield* objects.list(root)).toEqual([])
    })
  )

  it.effect(
    "[storage.fence] a new epoch waits for a write that is under way, and ends the next",
    () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const rooms = yield* RoomStore
        const key = newRoomKey()
        const root = space()
        yield* rooms.save(key, reported(awakeAt(1)))
        const writes = Effect.forEach(
          Array.from({ length: 20 }, (_, index) => index),
          (index) =>
            objects
              .putFenced([object(`${root}${index}a`), object(`${root}${index}b`)], {
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
        yield* Effect.flip(objects.putFenced([object(`${root}late`)], { ...key, epoch: 1 }))
      })
  )
})
