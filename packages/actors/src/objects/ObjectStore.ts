import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"

/** The facts about a stored object that need no reading of it. */
export interface ObjectEntry {
  readonly key: string
  readonly sizeBytes: number
  readonly storedAtMs: number
  readonly manifest: Manifest
}

/** The objects under a prefix, and the contents that were asked for. */
export interface Listing {
  readonly entries: ReadonlyArray<ObjectEntry>
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

/** Small facts that travel with an object, so that a list answers without reading any of them. */
export const Manifest = Schema.Record(Schema.String, Schema.Json)
export type Manifest = typeof Manifest.Type

/** An object as it is stored. */
export interface Put {
  readonly key: string
  readonly bytes: Uint8Array
  readonly manifest: Manifest
}

/**
 * Stores bytes under keys: snapshots, saves, sidecars and bundles. It knows no room; `RoomObjects`
 * fences a room's writes. A failing store is a defect. Source: architecture, Storage.
 */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    put(object: Put): Effect.Effect<void>
    /** Stores them in this order, all with the same moment. In a transaction: all of them or none. */
    putAll(objects: ReadonlyArray<Put>): Effect.Effect<void>
    get(key: string): Effect.Effect<Option.Option<Uint8Array>>
    /** All objects under a prefix, ordered by key. */
    list(prefix: string): Effect.Effect<ReadonlyArray<ObjectEntry>>
    /** The same, with the bytes of those that are named, if they are there. */
    listWith(prefix: string, keys: ReadonlyArray<string>): Effect.Effect<Listing>
    delete(keys: ReadonlyArray<string>): Effect.Effect<void>
  }
>()("@atrium/actors/objects/ObjectStore") {
  static readonly layerSql = Layer.effect(
    ObjectStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient

      const putAll = Effect.fn("ObjectStore.put")(function* (objects: ReadonlyArray<Put>) {
        const storedAtMs = yield* Clock.currentTimeMillis
        for (const { key, bytes, manifest } of objects) {
          yield* Effect.orDie(sql`
            insert into objects (key, bytes, manifest, stored_at_ms)
            values (${key}, ${bytes}, ${pg.json(manifest)}, ${storedAtMs})
            on conflict (key) do update set
              bytes = excluded.bytes,
              manifest = excluded.manifest,
              stored_at_ms = excluded.stored_at_ms`)
        }
      })
      const put = (object: Put) => putAll([object])

      const get = Effect.fn("ObjectStore.get")(function* (key: string) {
        const rows = yield* Effect.orDie(
          sql<{ readonly bytes: Uint8Array }>`select bytes from objects where key = ${key}`
        )
        return Option.fromNullishOr(rows[0]?.bytes)
      })

      const listWith = listingBy(sql)

      const list = Effect.fn("ObjectStore.list")(function* (prefix: string) {
        return (yield* listWith(prefix, [])).entries
      })

      const remove = Effect.fn("ObjectStore.delete")(function* (keys: ReadonlyArray<string>) {
        if (keys.length > 0)
          yield* Effect.orDie(sql`delete from objects where ${sql.in("key", keys)}`)
      })

      return { put, putAll, get, list, listWith, delete: remove }
    })
  )

  static readonly layerMemory = Layer.effect(
    ObjectStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const listWith = (prefix: string, keys: ReadonlyArray<string>) =>
        ask("ObjectStore.listWith", () => listInMemory(tables, prefix, keys))
      const putAll = (objects: ReadonlyArray<Put>) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          ask("ObjectStore.put", () => putInMemory(tables, objects, nowMs))
        )
      return {
        put: (object) => putAll([object]),
        putAll,
        get: (key) =>
          ask("ObjectStore.get", () =>
            Option.map(Option.fromNullishOr(objectTable.rowsIn(tables).get(key)), ({ bytes }) =>
              bytes.slice()
            )
          ),
        list: (prefix) => Effect.map(listWith(prefix, []), ({ entries }) => entries),
        listWith,
        delete: (keys) =>
          ask("ObjectStore.delete", () => {
            for (const key of keys) objectTable.rowsIn(tables).delete(key)
          })
      }
    })
  )
}

/** Lists what lies under a prefix, in one read. */
const listingBy = (sql: SqlClient.SqlClient) =>
  Effect.fn("ObjectStore.listWith")(function* (prefix: string, keys: ReadonlyArray<string>) {
    yield* Effect.annotateCurrentSpan({ prefix })
    const pattern = `${prefix.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
    const bytesOf =
      keys.length === 0 ? sql`null` : sql`case when ${sql.in("key", keys)} then bytes end`
    const rows = yield* Effect.orDie(sql<{
      readonly key: string
      readonly size_bytes: number
      readonly stored_at_ms: bigint
      readonly manifest: unknown
      readonly bytes: Uint8Array | null
    }>`select key, octet_length(bytes) as size_bytes, stored_at_ms, manifest, ${bytesOf} as bytes
       from objects where key like ${pattern} order by key collate "C"`)
    const entries = yield* Effect.forEach(rows, (row) =>
      Effect.map(Effect.orDie(Schema.decodeUnknownEffect(Manifest)(row.manifest)), (manifest) => ({
        key: row.key,
        sizeBytes: row.size_bytes,
        storedAtMs: Number(row.stored_at_ms),
        manifest
      }))
    )
    const bytes = new Map<string, Uint8Array>()
    for (const row of rows) if (row.bytes !== null) bytes.set(row.key, row.bytes)
    return { entries, bytes }
  })

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

const listInMemory = (
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
