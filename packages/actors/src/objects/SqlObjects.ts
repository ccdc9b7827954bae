import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

import { RandomHex } from "../store/Secrets.ts"
import { readNewObjects } from "./NewObjects.ts"
import { Manifest, type Objects, type Placed, type PlacedBytes, type Put } from "./ObjectRows.ts"
import { ObjectsFailure } from "./ObjectsFailure.ts"
import { type BytesPart, InlineBytes, Remote, type RemoteBytes } from "./RemoteBytes.ts"
import { sha256Of } from "./Sha256.ts"

/** Columns that say where the bytes of a row are. */
interface PlaceColumns {
  readonly bytes: Uint8Array | null
  readonly blob: string | null
  readonly blob_bytes: number | null
  readonly blob_sha256: Uint8Array | null
}

/** Objects on PostgreSQL. The bytes of a row are in it, or in the S3 under the name that it has. Source: C-466. */
export const makeSqlObjects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pg = yield* PgClient.PgClient
  const remote = yield* Remote
  const place = yield* placingBy(sql, remote)
  const discard = discardingBy(sql)

  const insert = insertingBy(sql, pg)

  const putAll = Effect.fn("ObjectStore.put")(function* (objects: ReadonlyArray<Placed>) {
    const storedAtMs = yield* Clock.currentTimeMillis
    if (objects.length > 0) yield* Effect.orDie(insert(objects, { storedAtMs, from: sql`` }))
  })

  const get = Effect.fn("ObjectStore.get")((key: string) =>
    reading(
      sql<PlaceColumns>`select bytes, blob, blob_bytes, blob_sha256 from objects where key = ${key}`,
      (row) => (row.bytes === null ? blobOf(remote, row) : Effect.succeed(row.bytes))
    )
  )
  const listWith = listingBy(sql, (rows) => blobsOf(rows, { remote, get }))

  const objects: Objects = {
    put: ({ key, bytes, manifest }: Put) =>
      Effect.flatMap(place(bytes), (at) =>
        Effect.onError(putAll([{ key, at, manifest }]), () => discard([at]))
      ),
    place,
    putAll,
    discard,
    get,
    slice: Effect.fn("ObjectStore.slice")((key: string, { from, most }: Slice) =>
      reading(
        // The column is stored uncompressed: PostgreSQL reads this part alone.
        sql<PlaceColumns>`
          select substring(bytes from ${from + 1}::int for ${most}::int) as bytes,
            blob, blob_bytes, blob_sha256
          from objects where key = ${key}`,
        (row) =>
          row.bytes === null
            ? blobOf(remote, row, { from, to: from + most - 1 })
            : Effect.succeed(row.bytes)
      )
    ),
    list: Effect.fn("ObjectStore.list")(function* (prefix: string) {
      return (yield* listWith(prefix, [])).entries
    }),
    listWith,
    copy: copyingBy(sql),
    delete: Effect.fn("ObjectStore.delete")(function* (keys: ReadonlyArray<string>) {
      if (keys.length > 0)
        yield* Effect.orDie(sql`delete from objects where ${sql.in("key", keys)}`)
    })
  }
  return objects
})

interface Insertion {
  readonly storedAtMs: number
  /** What the rows are joined with, and `cross join` behind it; empty = nothing. */
  readonly from: Statement.Fragment
}

/** An insert of all of these objects; rows of their keys are replaced. Bytes that several share are sent once. */
export const insertingBy =
  (sql: SqlClient.SqlClient, pg: PgClient.PgClient) =>
  (objects: ReadonlyArray<Placed>, { storedAtMs, from }: Insertion) => {
    const places = [...new Set(objects.map(({ at }) => at))]
    const placed = places.map((at, place) => {
      const { bytes, blob, blob_bytes, blob_sha256 } = columnsOf(at)
      return sql`(${place}::int, ${bytes}::bytea, ${blob}::text, ${blob_bytes}::int,
        ${blob_sha256}::bytea)`
    })
    const named = objects.map(
      ({ key, at, manifest }) =>
        sql`(${key}::text, ${pg.json(manifest)}::jsonb, ${places.indexOf(at)}::int)`
    )
    return sql`
      insert into objects
        (key, bytes, blob, blob_bytes, blob_sha256, manifest, stored_at_ms)
      select key, bytes, blob, blob_bytes, blob_sha256, manifest, ${storedAtMs}::bigint
      from ${from} (values ${sql.csv(placed)}) placed (place, bytes, blob, blob_bytes, blob_sha256)
        join (values ${sql.csv(named)}) named (key, manifest, place) using (place)
      ${replacing(sql)}`
  }

/** The end of an insert that replaces the row of a key as a whole. */
const replacing = (sql: SqlClient.SqlClient) => sql`
  on conflict (key) do update set
    bytes = excluded.bytes,
    blob = excluded.blob,
    blob_bytes = excluded.blob_bytes,
    blob_sha256 = excluded.blob_sha256,
    manifest = excluded.manifest,
    stored_at_ms = excluded.stored_at_ms`

interface Slice {
  readonly from: number
  readonly most: number
}

const columnsOf = (at: PlacedBytes): PlaceColumns =>
  at._tag === "Inline"
    ? { bytes: at.bytes, blob: null, blob_bytes: null, blob_sha256: null }
    : { bytes: null, blob: at.name, blob_bytes: at.sizeBytes, blob_sha256: at.sha256 }

/** Small bytes stay in their row: a request to the S3 costs more than they do. */
const placingBy = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  remote: RemoteBytes | null
) {
  const randomHex = yield* RandomHex
  const inlineMax = yield* InlineBytes
  const newObjects = readNewObjects(sql)
  return Effect.fn("ObjectStore.place")(function* (bytes: Uint8Array) {
    const inline: PlacedBytes = { _tag: "Inline", bytes }
    if (remote === null || bytes.length <= inlineMax) return inline
    if ((yield* newObjects) === "postgres") return inline
    return yield* Effect.orDie(placeRemote(remote, bytes, randomHex))
  })
})

/** Sends bytes to the S3 under a new name, which tells when that was. */
export const placeRemote = Effect.fnUntraced(function* (
  remote: RemoteBytes,
  bytes: Uint8Array,
  randomHex: (characters: number) => string
) {
  const nowMs = yield* Clock.currentTimeMillis
  const name = `${randomHex(32)}.${nowMs.toString(36)}`
  const sha256 = yield* sha256Of(bytes)
  yield* remote.put({ name, bytes, sha256 })
  return { _tag: "Blob", name, sizeBytes: bytes.length, sha256 } satisfies PlacedBytes
})

/** A sweep looks whether rows refer to them: it must also be told when a commit may have come through. */
const discardingBy = (sql: SqlClient.SqlClient) => (places: ReadonlyArray<PlacedBytes>) => {
  const names = new Set(places.flatMap((at) => (at._tag === "Blob" ? [at.name] : [])))
  if (names.size === 0) return Effect.void
  return sql`insert into object_garbage (blob) select unnest(${[...names]}::text[])`.pipe(
    // The S3 is looked through for such bytes, too.
    Effect.ignoreCause
  )
}

/**
 * Reads a row and its bytes. Bytes that are gone were replaced since the row was read, and so was the row; when it still
 * refers to them they are lost.
 */
const reading = Effect.fnUntraced(function* <Row extends PlaceColumns, E>(
  row: Effect.Effect<ReadonlyArray<Row>, E>,
  bytesOf: (row: Row) => Effect.Effect<Uint8Array | null, ObjectsFailure>
) {
  let gone: string | null = null
  for (;;) {
    const [found] = yield* Effect.orDie(row)
    if (found === undefined) return Option.none<Uint8Array>()
    if (gone !== null && found.blob === gone) return yield* Effect.die(lost(gone))
    const bytes = yield* Effect.orDie(bytesOf(found))
    if (bytes !== null) return Option.some(bytes)
    gone = found.blob
  }
})

const lost = (name: string): ObjectsFailure =>
  new ObjectsFailure({ away: false, message: `the S3 has lost the object ${name}` })

/** The bytes of a row that are in the S3. All of them are compared with their hash; a part has no hash. */
export const blobOf = Effect.fnUntraced(function* (
  remote: RemoteBytes | null,
  row: PlaceColumns,
  asked: BytesPart | null = null
) {
  const { blob: name, blob_bytes: sizeBytes, blob_sha256: sha256 } = row
  if (name === null || sizeBytes === null || sha256 === null) return new Uint8Array()
  if (remote === null) {
    const message = `the object ${name} is in an S3, and ATRIUM_OBJECTS_URL is not set`
    return yield* new ObjectsFailure({ away: false, message })
  }
  const part = { from: asked?.from ?? 0, to: Math.min(asked?.to ?? sizeBytes, sizeBytes - 1) }
  if (part.to < part.from) return new Uint8Array()
  const bytes = yield* remote.get(name, { sizeBytes, part })
  if (bytes === null || bytes.length < sizeBytes) return bytes
  if (Buffer.compare(yield* sha256Of(bytes), sha256) === 0) return bytes
  return yield* new ObjectsFailure({
    away: false,
    message: `the S3 has other bytes of the object ${name} than were stored`
  })
})

const copyingBy = (sql: SqlClient.SqlClient) =>
  Effect.fn("ObjectStore.copy")(function* (from: string, to: string) {
    const storedAtMs = yield* Clock.currentTimeMillis
    // Both rows share bytes in the S3: the first one must not go before the second one is seen.
    const copied = yield* Effect.orDie(sql`
      insert into objects (key, bytes, blob, blob_bytes, blob_sha256, manifest, stored_at_ms)
      select ${to}, bytes, blob, blob_bytes, blob_sha256, manifest, ${storedAtMs} from (
        select * from objects where key = ${from} for share) as found
      ${replacing(sql)}
      returning 1`)
    if (copied.length === 0) return yield* Effect.die(new Error(`object ${from} is missing`))
  })

interface ListedRow extends PlaceColumns {
  readonly key: string
}

interface Reads {
  readonly remote: RemoteBytes | null
  readonly get: Objects["get"]
}

/** The bytes of listed rows that are in the S3; those that were replaced meanwhile are read anew. */
const blobsOf = (rows: ReadonlyArray<ListedRow>, { remote, get }: Reads) =>
  Effect.forEach(
    rows,
    (row) =>
      Effect.orDie(blobOf(remote, row)).pipe(
        Effect.flatMap((bytes) =>
          bytes === null ? get(row.key) : Effect.succeed(Option.some(bytes))
        ),
        Effect.map((bytes) => [row.key, bytes] as const)
      ),
    { concurrency: "unbounded" }
  )

/** The condition of a row of `objects` whose key lies under a prefix. */
export const underPrefix = (sql: SqlClient.SqlClient, prefix: string): Statement.Fragment =>
  sql`key like ${`${prefix.replace(/[\\%_]/g, (character) => `\\${character}`)}%`}`

/**
 * The same for a folder, whose prefix ends with a slash. Its bounds come out of subqueries, so that they are no part of
 * PostgreSQL's plan: it makes one plan for all folders. A `like` is planned anew for each prefix, which takes longer than
 * to list a room.
 */
const inFolder = (sql: SqlClient.SqlClient, prefix: string): Statement.Fragment => {
  if (!prefix.endsWith("/")) return underPrefix(sql, prefix)
  // `0` is the sign after the slash.
  const end = `${prefix.slice(0, -1)}0`
  return sql`key ~>=~ (select ${prefix}::text) and key ~<~ (select ${end}::text)`
}

/** Lists what lies under a prefix, in one read of the database. */
const listingBy = (
  sql: SqlClient.SqlClient,
  read: (rows: ReadonlyArray<ListedRow>) => ReturnType<typeof blobsOf>
) =>
  Effect.fn("ObjectStore.listWith")(function* (prefix: string, keys: ReadonlyArray<string>) {
    yield* Effect.annotateCurrentSpan({ prefix })
    const bytesOf =
      keys.length === 0 ? sql`null` : sql`case when ${sql.in("key", keys)} then bytes end`
    const rows = yield* Effect.orDie(sql<
      ListedRow & {
        readonly size_bytes: number
        readonly stored_at_ms: bigint
        readonly manifest: unknown
      }
    >`select key, coalesce(blob_bytes, octet_length(bytes)) as size_bytes, stored_at_ms, manifest,
        ${bytesOf} as bytes, blob, blob_bytes, blob_sha256
      from objects where ${inFolder(sql, prefix)} order by key collate "C"`)
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
    const elsewhere = rows.filter((row) => row.blob !== null && keys.includes(row.key))
    if (elsewhere.length > 0)
      for (const [key, found] of yield* read(elsewhere))
        if (Option.isSome(found)) bytes.set(key, found.value)
    return { entries, bytes }
  })
