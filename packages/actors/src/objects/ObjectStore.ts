import type { RoomKey } from "@atrium/domain/shared/Ids"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** What is known of a stored object without reading it. */
export interface ObjectEntry {
  readonly key: string
  readonly sizeBytes: number
  readonly storedAtMs: number
  readonly manifest: Manifest
}

/** What lies under a prefix, and what of it was asked for. */
export interface Listing {
  readonly entries: ReadonlyArray<ObjectEntry>
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

/** Small facts that travel with an object, so that a list answers without reading any of them. */
export const Manifest = Schema.Record(Schema.String, Schema.Json)
export type Manifest = typeof Manifest.Type

/** Only the room's living incarnation may write: its epoch is the one in the room's row. */
export interface Fence extends RoomKey {
  readonly epoch: number
}

/** The write came from an incarnation that is no longer the room's. Nothing was written. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly fence: Fence }> {}

interface Put {
  readonly key: string
  readonly bytes: Uint8Array
  readonly manifest: Manifest
}

/**
 * Where snapshots, saves, sidecars and bundles live: a flat space of keys with prefixes. Rooms'
 * writes are fenced by their epoch. A failing store is a defect. Source: architecture, Storage.
 */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    put(object: Put): Effect.Effect<void>
    putFenced(objects: ReadonlyArray<Put>, fence: Fence): Effect.Effect<void, Fenced>
    get(key: string): Effect.Effect<Option.Option<Uint8Array>>
    /** All objects under a prefix, ordered by key. */
    list(prefix: string): Effect.Effect<ReadonlyArray<ObjectEntry>>
    /** The same, with the bytes of those that are named, if they are there. */
    listWith(prefix: string, keys: ReadonlyArray<string>): Effect.Effect<Listing>
    delete(keys: ReadonlyArray<string>): Effect.Effect<void>
  }
>()("@atrium/actors/store/ObjectStore") {
  static readonly layerSql = Layer.effect(
    ObjectStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient

      const insert = (object: Put, storedAtMs: number) => sql`
        insert into objects (key, bytes, manifest, stored_at_ms)
        values (${object.key}, ${object.bytes}, ${pg.json(object.manifest)}, ${storedAtMs})
        on conflict (key) do update set
          bytes = excluded.bytes,
          manifest = excluded.manifest,
          stored_at_ms = excluded.stored_at_ms`

      const put = Effect.fn("ObjectStore.put")(function* (object: Put) {
        yield* Effect.orDie(insert(object, yield* Clock.currentTimeMillis))
      })

      const putFenced = Effect.fn("ObjectStore.putFenced")(function* (
        objects: ReadonlyArray<Put>,
        fence: Fence
      ) {
        const nowMs = yield* Clock.currentTimeMillis
        const write = Effect.gen(function* () {
          // The row lock keeps a new incarnation from starting between this check and the write.
          const held = yield* sql`
            select 1 from rooms
            where project_id = ${fence.projectId} and room_id = ${fence.roomId}
              and epoch = ${fence.epoch}
            for share`
          if (held.length === 0) return yield* new Fenced({ fence })
          for (const object of objects) yield* insert(object, nowMs)
        })
        yield* sql.withTransaction(write).pipe(Effect.catchTag("SqlError", Effect.die))
      })

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

      return { put, putFenced, get, list, listWith, delete: remove }
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
