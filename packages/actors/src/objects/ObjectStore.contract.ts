import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore, placeAll } from "./ObjectStore.ts"

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const object = (key: string, ...values: ReadonlyArray<number>) => ({
  key,
  bytes: bytes(...values),
  manifest: {}
})
let spaces = 0
/** A prefix of its own for each test. */
const space = () => `space${++spaces}/`

/**
 * The behaviour of every layer of `ObjectStore`.
 * @param name of the layer, as the report shows it
 */
export const objectStoreContract = (
  name: string,
  stores: Layer.Layer<ObjectStore, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[storage.objects] gets back the bytes that were put", () =>
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

    it.effect("[storage.objects] reads a part of the bytes", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const key = space()
        yield* objects.put(object(key, 1, 2, 3, 4))
        const slice = (from: number, most: number) =>
          Effect.map(objects.slice(key, { from, most }), (found) => [...Option.getOrThrow(found)])
        expect(yield* slice(0, 4)).toEqual([1, 2, 3, 4])
        expect(yield* slice(1, 2)).toEqual([2, 3])
        expect(yield* slice(3, 9)).toEqual([4])
        expect(yield* slice(4, 1)).toEqual([])
        expect(Option.isNone(yield* objects.slice(`${key}x`, { from: 0, most: 1 }))).toBe(true)
      })
    )

    it.effect("[storage.objects] copies bytes and manifest under another key", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const key = space()
        const from = { ...object(`${key}a`, 1, 2), manifest: { kind: "bundle" } }
        yield* objects.put(from)
        yield* objects.put(object(`${key}b`, 9))
        for (const to of [`${key}b`, `${key}c`]) {
          yield* objects.copy(from.key, to)
          const copied = Option.getOrThrow(yield* objects.get(to))
          expect(Buffer.compare(copied, from.bytes)).toBe(0)
        }
        const manifests = (yield* objects.list(key)).map(({ manifest }) => manifest)
        expect(manifests).toEqual([from.manifest, from.manifest, from.manifest])
        expect(Exit.isFailure(yield* Effect.exit(objects.copy(`${key}x`, `${key}d`)))).toBe(true)
        expect(Option.isNone(yield* objects.get(`${key}d`))).toBe(true)
      })
    )

    it.effect("[rooms.detail.deletesAt.exact] gives objects that are put together one moment", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const key = space()
        let nowMs = 1_000
        const clock = yield* Clock.Clock
        // Each look at it is a millisecond later.
        const ticking = Object.assign(Object.create(clock), {
          currentTimeMillis: Effect.sync(() => ++nowMs),
          currentTimeMillisUnsafe: () => ++nowMs
        })
        const both = Effect.flatMap(
          placeAll(objects, [object(`${key}a`), object(`${key}b`)]),
          objects.putAll
        )
        yield* Effect.provideService(both, Clock.Clock, ticking)
        const moments = (yield* objects.list(key)).map(({ storedAtMs }) => storedAtMs)
        expect(moments).toEqual([1_001, 1_001])
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

    it.effect(
      "[storage.objects] a list is all of one prefix, whatever its characters, by key",
      () =>
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
  })
