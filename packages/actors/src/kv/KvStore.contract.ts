import { KvProjectLimits } from "@atrium/domain/kv/KvProjectLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { PlayerData } from "../accounts/PlayerData.ts"
import { StoredBytes } from "../meters/StoredBytes.ts"
import { DeletedProjects } from "../projects/DeletedProjects.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { type KvKey, type KvOwner, KvStore, type KvWrite } from "./KvStore.ts"

const write = (owner: KvOwner, key: string, more: Partial<KvWrite> = {}): KvWrite => ({
  ...owner,
  key,
  value: "1",
  expected: null,
  ...more
})

/** The store, asked for one entry at a time. */
const oneByOne = Effect.map(KvStore, (kv) => ({
  ...kv,
  get: ({ projectId, ...key }: KvKey) =>
    Effect.map(kv.get(projectId, [key]), ([entry = null]) => entry),
  set: ({ projectId, ...given }: KvWrite) =>
    Effect.map(kv.set(projectId, [given]), ([written]) => {
      if (written === undefined) throw new Error("a write has no outcome")
      return written
    })
}))

const all = { prefix: "", after: "", limit: KvLimits.kvPageEntries.max }

/** What the meter finds of the project in the KV of all projects. */
const storedBytes = Effect.fnUntraced(function* (projectId: ProjectId) {
  const stored = yield* StoredBytes
  const { sums } = yield* stored.part({ place: "player_kv_sums", after: "", most: 1000 })
  return sums.find((sum) => sum.projectId === projectId)?.bytes ?? 0
})

/**
 * The behaviour of every layer of `KvStore`.
 * @param name of the layer, as the report shows it
 */
export const kvStoreContract = (
  name: string,
  stores: Layer.Layer<
    KvStore | PlayerData | StoredBytes | DeletedProjects | ProjectStore | TestTables,
    unknown
  >
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-570] an entry is read as it was written, and each write has a new version", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const owner = { projectId: yield* newProject, playerId: "ann/é 😀" }
        const other = { ...owner, playerId: "ben" }
        const value = `{"text":"\\u0000 \\ud800 😀","list":[1.5,null]}`
        yield* TestClock.adjust(1000)
        const versions: Array<number> = []
        for (const text of ["1", value]) {
          const written = yield* kv.set(write(owner, "a/é", { value: text }))
          if (written._tag === "Written") versions.push(written.version)
        }
        const [first = 0, second = 0] = versions
        expect(second).toBeGreaterThan(first)
        const entry = { value, version: second, writtenAtMs: 1000 }
        expect(yield* kv.get({ ...owner, key: "a/é" })).toEqual(entry)
        expect(yield* kv.get({ ...owner, key: "a" })).toBeNull()
        expect(yield* kv.get({ ...other, key: "a/é" })).toBeNull()
        expect(yield* kv.delete({ ...other, key: "a/é" })).toBe(false)
        expect(yield* kv.delete({ ...owner, key: "a/é" })).toBe(true)
        expect(yield* kv.delete({ ...owner, key: "a/é" })).toBe(false)
        expect(yield* kv.get({ ...owner, key: "a/é" })).toBeNull()
        // The version of an entry that was deleted does not come back.
        const again = yield* kv.set(write(owner, "a/é", { expected: second }))
        expect(again).toEqual({ _tag: "Conflict" })
      })
    )

    it.effect("[C-571] of writes that expect one version the first is stored, and no other", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const owner = { projectId: yield* newProject, playerId: "ann" }
        const round = (expected: number) =>
          Effect.forEach(
            Array.from({ length: 8 }, (_, at) => String(at)),
            (value) =>
              Effect.map(kv.set(write(owner, "coins", { value, expected })), (written) => ({
                value,
                written
              })),
            { concurrency: "unbounded" }
          )
        let expected = 0
        for (let rounds = 0; rounds < 3; rounds++) {
          const won = (yield* round(expected)).filter(({ written }) => written._tag === "Written")
          expect(won).toHaveLength(1)
          const stored = yield* kv.get({ ...owner, key: "coins" })
          expect([stored?.value, stored?.version]).toEqual([
            won[0]?.value,
            Object(won[0]?.written).version
          ])
          expected = stored?.version ?? 0
        }
        expect(yield* kv.set(write(owner, "other", { expected }))).toEqual({ _tag: "Conflict" })
      })
    )

    it.effect(
      "[C-640] writes that are stored together have an outcome each, and so have reads",
      () =>
        Effect.gen(function* () {
          const kv = yield* KvStore
          const projectId = yield* newProject
          const entry = (path: string, value: string, expected: number | null) => {
            const [playerId = "", key = ""] = path.split("/")
            return { playerId, key, value, expected }
          }
          const [first] = yield* kv.set(projectId, [entry("ann/a", "1", null)])
          const version = first?._tag === "Written" ? first.version : 0
          const outcomes = yield* kv.set(projectId, [
            entry("ann/b", "1", 7),
            entry("ann/a", "22", version),
            entry("ben/a", "3", null),
            entry("ann/c", "4", 0)
          ])
          expect(outcomes.map(({ _tag }) => _tag)).toEqual([
            "Conflict",
            "Written",
            "Written",
            "Written"
          ])
          const again = yield* kv.set(projectId, [
            entry("ann/a", "5", version),
            entry("ann/c", "6", 0),
            entry("ben/a", "7", null)
          ])
          expect(again.map(({ _tag }) => _tag)).toEqual(["Conflict", "Conflict", "Written"])
          const of = (playerId: string, key: string) => ({ playerId, key })
          const keys = [
            of("ben", "a"),
            of("ann", "b"),
            of("ann", "a"),
            of("ben", "c"),
            of("ann", "c")
          ]
          const found = yield* kv.get(projectId, keys)
          expect(found.map((each) => each?.value ?? null)).toEqual(["7", null, "22", null, "4"])
          expect(yield* storedBytes(projectId)).toBe(6 + 5 + 5)
        })
    )

    it.effect(
      "[C-640] batches of the same entries that meet store each write once, and lose no byte",
      () =>
        Effect.gen(function* () {
          const kv = yield* KvStore
          const projectId = yield* newProject
          const players = Array.from({ length: 8 }, (_, at) => `p${at}`)
          const batch = (round: number) =>
            players.map((playerId) => ({
              playerId,
              key: "k",
              value: "1".repeat(1 + (round % 3)),
              expected: null
            }))
          yield* kv.set(projectId, batch(0))
          const rounds = Array.from({ length: 12 }, (_, round) => round)
          const outcomes = yield* Effect.forEach(
            rounds,
            (round) =>
              kv.set(projectId, round % 2 === 0 ? batch(round) : batch(round).toReversed()),
            { concurrency: "unbounded" }
          )
          const versions = outcomes
            .flat()
            .map((each) => (each._tag === "Written" ? each.version : 0))
          expect(new Set(versions).size).toBe(players.length * rounds.length)
          const kept = yield* kv.get(projectId, batch(0))
          const bytes = kept.reduce((sum, entry) => sum + 3 + (entry?.value.length ?? 0), 0)
          expect(yield* storedBytes(projectId)).toBe(bytes)
        })
    )

    it.effect("[kv.limit.keys-per-player] the 128th key is written, the next is not", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const owner = { projectId: yield* newProject, playerId: "ann" }
        const { max } = KvLimits.kvKeys
        for (let at = 2; at < max; at++) yield* kv.set(write(owner, `k${at}`))
        // One of these two that come together has the last place but one.
        const last = yield* Effect.forEach(["x", "y", "z"], (key) => kv.set(write(owner, key)), {
          concurrency: "unbounded"
        })
        expect(last.filter(({ _tag }) => _tag === "KeysFull")).toHaveLength(1)
        expect((yield* kv.list(owner, all)).entries).toHaveLength(max)
        expect((yield* kv.set(write(owner, "k2", { value: "2" })))._tag).toBe("Written")
        const other = { ...owner, playerId: "ben" }
        expect((yield* kv.set(write(other, "x")))._tag).toBe("Written")
        yield* kv.delete({ ...owner, key: "k2" })
        expect((yield* kv.set(write(owner, "again")))._tag).toBe("Written")
      })
    )

    it.effect("[C-572] a list has the keys of a prefix in the order of their bytes, in pages", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const owner = { projectId: yield* newProject, playerId: "ann" }
        const keys = ["b", "a/2", "a/1", "a", "a/\uffff", "a/😀", "a/Z", "A", "a%_"]
        for (const key of keys) yield* kv.set(write(owner, key))
        const keysOf = Effect.fnUntraced(function* (query: Partial<typeof all>) {
          const { entries, next } = yield* kv.list(owner, { ...all, ...query })
          return [entries.map(({ key }) => key), next]
        })
        const inOrder = ["A", "a", "a%_", "a/1", "a/2", "a/Z", "a/\uffff", "a/😀", "b"]
        expect(yield* keysOf({})).toEqual([inOrder, null])
        expect(yield* keysOf({ prefix: "a/" })).toEqual([inOrder.slice(3, 8), null])
        expect(yield* keysOf({ prefix: "a/", limit: 2 })).toEqual([["a/1", "a/2"], "a/2"])
        expect(yield* keysOf({ prefix: "a/", limit: 3, after: "a/2" })).toEqual([
          ["a/Z", "a/\uffff", "a/😀"],
          null
        ])
        expect(yield* keysOf({ prefix: "a%" })).toEqual([["a%_"], null])
        expect(yield* keysOf({ prefix: "c" })).toEqual([[], null])
      })
    )

    it.effect("[limits.kvPageBytes] a page has at most 128 KiB, but always one entry", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const owner = { projectId: yield* newProject, playerId: "ann" }
        const value = (bytes: number) => `"${"x".repeat(bytes - 2)}"`
        const half = KvLimits.kvPageBytes.max / 2
        yield* kv.set(write(owner, "a", { value: value(half - 1) }))
        yield* kv.set(write(owner, "b", { value: value(half - 1) }))
        yield* kv.set(write(owner, "c", { value: value(2 * half) }))
        const lengths = Effect.fnUntraced(function* (after: string) {
          const { entries, next } = yield* kv.list(owner, { ...all, after })
          return [entries.map((entry) => entry.value.length), next]
        })
        expect(yield* lengths("")).toEqual([[half - 1, half - 1], "b"])
        expect(yield* lengths("b")).toEqual([[2 * half], null])
        yield* kv.set(write(owner, "b", { value: value(half) }))
        expect(yield* lengths("")).toEqual([[half - 1], "a"])
      })
    )

    it.effect("[C-494] [C-573] the bytes of entries are the project's storage", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const owner = { projectId: yield* newProject, playerId: "é" }
        const other = { ...owner, playerId: "ben" }
        const bytes = storedBytes(owner.projectId)
        yield* kv.set(write(owner, "ä", { value: `"é"` }))
        expect(yield* bytes).toBe(8)
        yield* kv.set(write(owner, "ä", { value: "12345" }))
        yield* kv.set(write(owner, "k"))
        yield* kv.set(write(other, "k"))
        expect(yield* bytes).toBe(9 + 4 + 5)
        yield* kv.set(write(owner, "k", { expected: 7 }))
        yield* kv.delete({ ...owner, key: "ä" })
        expect(yield* bytes).toBe(9)
        yield* kv.delete({ ...owner, key: "k" })
        yield* kv.delete({ ...owner, key: "k" })
        yield* kv.delete({ ...other, key: "k" })
        expect(yield* bytes).toBe(0)
      })
    )

    it.effect("[C-540] an erased player has no entries, and they are storage no more", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const data = yield* PlayerData
        const owner = { projectId: yield* newProject, playerId: "ann" }
        const other = { ...owner, playerId: "ben" }
        for (const key of ["k1", "k2"]) yield* kv.set(write(owner, key, { value: `{"a":[1]}` }))
        yield* kv.set(write(other, "k1"))
        const { rows } = yield* data.page(owner, null)
        const exported = { value: { a: [1] }, version: expect.any(Number) }
        expect(rows["kv"]).toMatchObject([
          { key: "k1", ...exported },
          { key: "k2", ...exported }
        ])
        yield* data.erase({ ...owner, newId: "pl_new" })
        expect((yield* kv.list(owner, all)).entries).toEqual([])
        expect((yield* kv.list(other, all)).entries).toHaveLength(1)
        expect(yield* storedBytes(owner.projectId)).toBe(6)
      })
    )

    it.effect("[C-573] writes of a player that is erased meanwhile are stored or erased", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const data = yield* PlayerData
        const owner = { projectId: yield* newProject, playerId: "ann" }
        const keys = ["a", "b", "c", "d"]
        for (let round = 0; round < 100; round++) {
          const writes = keys.map((key) => Effect.asVoid(kv.set(write(owner, key))))
          const removal = Effect.asVoid(kv.delete({ ...owner, key: "a" }))
          const erasure = data.erase({ ...owner, newId: "pl_new" })
          yield* Effect.all([...writes, erasure, removal, ...writes], { concurrency: "unbounded" })
        }
        const { entries } = yield* kv.list(owner, all)
        expect(yield* storedBytes(owner.projectId)).toBe(5 * entries.length)
      })
    )

    it.effect("[C-71] nothing is left of a project that is purged", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const deleted = yield* DeletedProjects
        const [one, other] = [yield* newProject, yield* newProject]
        for (const projectId of [one, other]) {
          yield* kv.set(write({ projectId, playerId: "ann" }, "k"))
        }
        while ((yield* deleted.removeSome(one)) > 0);
        expect(yield* kv.get({ projectId: one, playerId: "ann", key: "k" })).toBeNull()
        expect(yield* kv.get({ projectId: other, playerId: "ann", key: "k" })).not.toBeNull()
        expect([yield* storedBytes(one), yield* storedBytes(other)]).toEqual([0, 5])
      })
    )

    it.effect("[kv.limit.rows] the 1,000,000th row is written, the next is not", () =>
      Effect.gen(function* () {
        const kv = yield* oneByOne
        const projectId = yield* newProject
        const { max } = KvProjectLimits.kvRows
        yield* (yield* TestTables).addKvRows(projectId, max - 2)
        const owners = ["a", "b", "c", "d"].map((playerId) => ({ projectId, playerId }))
        // Their parts differ, so that they run beside each other.
        const written = yield* Effect.forEach(owners, (owner) => kv.set(write(owner, "k")), {
          concurrency: "unbounded"
        })
        expect(written.map(({ _tag }) => _tag).toSorted()).toEqual([
          "RowsFull",
          "RowsFull",
          "Written",
          "Written"
        ])
        const has = owners.filter((_, at) => written[at]?._tag === "Written")
        const [full] = owners.filter((owner) => !has.includes(owner))
        const [one] = has
        if (one === undefined || full === undefined) throw new Error("nothing was written")
        expect((yield* kv.set(write(one, "k", { value: "22" })))._tag).toBe("Written")
        yield* kv.delete({ ...one, key: "k" })
        expect((yield* kv.set(write(full, "k")))._tag).toBe("Written")
        expect((yield* kv.set(write(one, "k")))._tag).toBe("RowsFull")
      })
    )
  })
