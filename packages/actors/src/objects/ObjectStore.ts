import { Context, Effect, Layer, Option } from "effect"

import { atNow, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import type { Listing, Manifest, Objects, Placed, Put } from "./ObjectRows.ts"
import { makeSqlObjects } from "./SqlObjects.ts"

/**
 * Stores bytes under keys: snapshots, saves, sidecars and bundles. It knows no room; `RoomObjects`
 * fences a room's writes. A failing store is a defect. Source: architecture, Storage.
 */
export class ObjectStore extends Context.Service<ObjectStore, Objects>()(
  "@atrium/actors/objects/ObjectStore"
) {
  /** On PostgreSQL, with the bytes in its rows or in the S3 of `Remote`. */
  static readonly layerSql = Layer.effect(ObjectStore, makeSqlObjects)

  static readonly layerMemory = Layer.effect(
    ObjectStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const listWith = (prefix: string, keys: ReadonlyArray<string>) =>
        ask("ObjectStore.listWith", () => listInMemory(tables, prefix, keys))
      const putAll = (objects: ReadonlyArray<Put>) =>
        atNow({ ask })("ObjectStore.put", (nowMs) => putInMemory(tables, objects, nowMs))
      return {
        put: (object) => putAll([object]),
        place: (bytes) => Effect.succeed({ _tag: "Inline", bytes }),
        putAll: (objects) => putAll(objects.map(unplaced)),
        discard: () => Effect.void,
        get: (key) =>
          ask("ObjectStore.get", () =>
            Option.map(Option.fromNullishOr(objectTable.rowsIn(tables).get(key)), ({ bytes }) =>
              bytes.slice()
            )
          ),
        slice: (key, { from, most }) =>
          ask("ObjectStore.slice", () =>
            Option.map(Option.fromNullishOr(objectTable.rowsIn(tables).get(key)), ({ bytes }) =>
              bytes.slice(from, from + most)
            )
          ),
        list: (prefix) => Effect.map(listWith(prefix, []), ({ entries }) => entries),
        listWith,
        copy: (from, to) =>
          atNow({ ask })("ObjectStore.copy", (nowMs) => copyInMemory(tables, { from, to }, nowMs)),
        delete: (keys) =>
          ask("ObjectStore.delete", () => {
            for (const key of keys) objectTable.rowsIn(tables).delete(key)
          })
      }
    })
  )
}

/** Places the bytes of all of them, the same ones once. */
export const placeAll = Effect.fnUntraced(function* (
  { place }: Pick<Objects, "place">,
  objects: ReadonlyArray<Put>
) {
  const contents = [...new Set(objects.map(({ bytes }) => bytes))]
  const places = yield* Effect.forEach(contents, place, { concurrency: "unbounded" })
  return objects.flatMap(({ key, bytes, manifest }): ReadonlyArray<Placed> => {
    const at = places[contents.indexOf(bytes)]
    return at === undefined ? [] : [{ key, at, manifest }]
  })
})

const unplaced = ({ key, at, manifest }: Placed): Put => {
  if (at._tag === "Blob") throw new Error(`the bytes of ${key} are in no memory`)
  return { key, bytes: at.bytes, manifest }
}

interface ObjectRow {
  readonly bytes: Uint8Array
  readonly manifest: Manifest
  readonly storedAtMs: number
}

/** The stored objects, by key. */
export const objectTable = new MemoryTable<ObjectRow>()

/** Stores all of these objects, or none of them: for transactions of other stores in memory. */
export const putInMemory = (
  tables: MemoryTables,
  objects: ReadonlyArray<Put>,
  storedAtMs: number
): void => {
  const refused = objects.find(({ key }) => key.includes("\0"))
  if (refused !== undefined) throw new Error(`${JSON.stringify(refused.key)} holds a NUL`)
  for (const { key, bytes, manifest } of objects) {
    const row = { bytes: bytes.slice(), manifest: structuredClone(manifest), storedAtMs }
    objectTable.rowsIn(tables).set(key, row)
  }
}

/** Removes these objects: for transactions of other stores in memory. */
export const deleteInMemory = (tables: MemoryTables, keys: ReadonlyArray<string>): void => {
  for (const key of keys) objectTable.rowsIn(tables).delete(key)
}

/** The copy of one object: for transactions of other stores in memory. */
export const copyInMemory = (
  tables: MemoryTables,
  { from, to }: { readonly from: string; readonly to: string },
  storedAtMs: number
): void => {
  const row = objectTable.rowsIn(tables).get(from)
  if (row === undefined) throw new Error(`object ${from} is missing`)
  putInMemory(tables, [{ key: to, bytes: row.bytes, manifest: row.manifest }], storedAtMs)
}

/** The objects under a prefix, and the bytes of those that are named. */
export const listInMemory = (
  tables: MemoryTables,
  prefix: string,
  keys: ReadonlyArray<string>
): Listing => {
  const rows = [...objectTable.rowsIn(tables)]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const entries = rows.map(([key, { bytes, manifest, storedAtMs }]) => ({
    key,
    sizeBytes: bytes.length,
    storedAtMs,
    manifest
  }))
  const named = rows.filter(([key]) => keys.includes(key))
  return { entries, bytes: new Map(named.map(([key, { bytes }]) => [key, bytes.slice()])) }
}
