import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { type ObjectPlace, ObjectPlaces } from "@atrium/domain/objects/ObjectPlace"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { readRows } from "../store/ReadRows.ts"
import { RandomHex } from "../store/Secrets.ts"
import { runnerElsewhere } from "./ObjectRunners.ts"
import type { ObjectsFailure } from "./ObjectsFailure.ts"
import { InlineBytes, Remote, type RemoteBytes } from "./RemoteBytes.ts"
import { blobOf, placeRemote } from "./SqlObjects.ts"

const Move = Schema.Struct({
  /** Where new bytes go. */
  place: Schema.Literals(ObjectPlaces),
  moving: Schema.Boolean,
  /** All objects before this key are there; `null` = nothing is under way. */
  afterKey: Schema.NullOr(Schema.String),
  /** Since the order. */
  movedObjects: Schema.Int,
  movedBytes: Schema.Int,
  failedObjects: Schema.Int,
  orderedAtMs: Schema.NullOr(Schema.Int),
  endedAtMs: Schema.NullOr(Schema.Int)
})
const readMoves = readRows(Move)

/** How far the bytes of objects have come on their way to another place. */
export type ObjectMove = typeof Move.Type

/** How many objects are in a place. */
export interface HeldObjects {
  readonly objects: number
  readonly bytes: number
}

/** Objects, by where their bytes are. */
export interface ObjectCensus {
  readonly postgres: HeldObjects
  readonly s3: HeldObjects
  /** Names in the S3 that a sweep will look at. */
  readonly garbage: number
}

/** What a step of a move did. */
export interface MoveStep {
  readonly failed: ReadonlyArray<{ readonly key: string; readonly why: string }>
}

/** Moves the bytes of objects between PostgreSQL and the S3. A failing store is a defect. Source: C-469. */
export class ObjectMoves extends Context.Service<
  ObjectMoves,
  {
    readonly now: Effect.Effect<ObjectMove>
    readonly census: Effect.Effect<ObjectCensus>
    /** The S3, as people read its address; `null` = this runner has none. */
    readonly remote: string | null
    /**
     * Sends new bytes there from now on, and moves the others after them. A move that was stopped goes on. A move to the
     * S3 is refused while a runner lives that does not have this S3: it could not read them. Source: C-477.
     */
    order(to: ObjectPlace): Effect.Effect<ObjectMove, BadRequest>
    /** Lets the rest stay where it is; new bytes go on going to the place of the last order. */
    readonly stop: Effect.Effect<ObjectMove>
    /** Moves some objects, and notes how far it is. It may be cut short anywhere. `null` = nothing is to be done now. */
    readonly step: Effect.Effect<MoveStep | null>
  }
>()("@atrium/actors/objects/ObjectMoves") {
  static readonly layerSql = Layer.effect(
    ObjectMoves,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const remote = yield* Remote
      const inlineMax = yield* InlineBytes
      const randomHex = yield* RandomHex

      const returned = (query: Effect.Effect<ReadonlyArray<object>, unknown>) =>
        Effect.flatMap(readMoves(query), ([row]) =>
          row === undefined
            ? Effect.die(new Error("the row of object_place is missing"))
            : Effect.succeed(row)
        )
      const now = returned(sql`select * from object_place`)

      return {
        now,
        remote: remote?.place ?? null,
        census: censusOf(sql),
        order: Effect.fn("ObjectMoves.order")(
          function* (to: ObjectPlace) {
            const atMs = yield* Clock.currentTimeMillis
            const ordered = Effect.gen(function* () {
              if (to === "s3") yield* refuseElsewhere(remote?.place ?? "")
              return yield* returned(orderedTo(sql, { to, atMs }))
            })
            return yield* sql.withTransaction(ordered)
          },
          Effect.catchTag("SqlError", Effect.die),
          Effect.provideService(SqlClient.SqlClient, sql)
        ),
        stop: Effect.withSpan(
          returned(sql`update object_place set moving = false returning *`),
          "ObjectMoves.stop"
        ),
        step: Effect.withSpan(
          stepping({ sql, remote, inlineMax, randomHex }, now),
          "ObjectMoves.step"
        )
      }
    })
  )
}

/** A runner that starts waits until the order is stored, and sees it then. */
const refuseElsewhere = Effect.fnUntraced(function* (place: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`lock table runners in exclusive mode`
  const other = yield* runnerElsewhere(place)
  if (other === null) return
  const message =
    `move: the runner ${other} does not have its objects at ${place}: ` +
    "start every runner with the same ATRIUM_OBJECTS_URL"
  return yield* new BadRequest({ message })
})

const orderedTo = (
  sql: SqlClient.SqlClient,
  { to, atMs }: { readonly to: ObjectPlace; readonly atMs: number }
) => sql`
  update object_place set
    after_key = case when place = ${to} then coalesce(after_key, '') else '' end,
    pass_objects = case when place = ${to} then pass_objects else 0 end,
    moved_objects = case when goes_on then moved_objects else 0 end,
    moved_bytes = case when goes_on then moved_bytes else 0 end,
    failed_objects = 0,
    ordered_at_ms = case when goes_on then ordered_at_ms else ${atMs}::bigint end,
    ended_at_ms = null, moving = true, place = ${to}
  from (select place = ${to} and after_key is not null as goes_on from object_place) asked
  returning object_place.*`

const censusOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [row] = yield* readCensus(sql`
      select count(*) filter (where blob is null) as here,
        coalesce(sum(octet_length(bytes)), 0)::bigint as here_bytes,
        count(*) filter (where blob is not null) as there,
        coalesce(sum(blob_bytes), 0)::bigint as there_bytes,
        (select count(*) from object_garbage) as garbage
      from objects`)
    const { here, hereBytes, there, thereBytes, garbage } = row ?? none
    return {
      postgres: { objects: here, bytes: hereBytes },
      s3: { objects: there, bytes: thereBytes },
      garbage
    }
  }).pipe(Effect.withSpan("ObjectMoves.census"))

const none = { here: 0, hereBytes: 0, there: 0, thereBytes: 0, garbage: 0 }
const readCensus = readRows(
  Schema.Struct({
    here: Schema.Int,
    hereBytes: Schema.Int,
    there: Schema.Int,
    thereBytes: Schema.Int,
    garbage: Schema.Int
  })
)

interface Moving {
  readonly sql: SqlClient.SqlClient
  readonly remote: RemoteBytes | null
  readonly inlineMax: number
  readonly randomHex: (characters: number) => string
}

/** One object: its bytes that were moved; 0 = its row has changed meanwhile; a text = it cannot be moved. */
type MoveOne = (key: string) => Effect.Effect<number | string>

const stepping = (moving: Moving, now: Effect.Effect<ObjectMove>) =>
  Effect.gen(function* () {
    const { sql, remote, inlineMax } = moving
    const { place, afterKey, ...move } = yield* now
    if (!move.moving || afterKey === null || remote === null) return null
    const elsewhere =
      place === "s3"
        ? sql`blob is null and octet_length(bytes) > ${inlineMax}`
        : sql`blob is not null`
    const rows = yield* Effect.orDie(sql<{ readonly key: string }>`
      select key from objects where key > ${afterKey} and ${elsewhere}
      order by key limit ${ObjectLimits.objectMoveBatch.max}`)
    if (rows.length === 0) {
      return (yield* endPass(sql, place)) ? { failed: [] } : null
    }
    const moveOne =
      place === "s3" ? toRemote({ ...moving, remote }) : fromRemote({ ...moving, remote })
    const done = yield* Effect.forEach(
      rows,
      ({ key }) => Effect.map(moveOne(key), (outcome) => ({ key, outcome })),
      { concurrency: ObjectLimits.objectMovesAtOnce.max }
    )
    const failed = done.flatMap(({ key, outcome }) =>
      typeof outcome === "string" ? [{ key, why: outcome }] : []
    )
    const bytes = done.map(({ outcome }) => (typeof outcome === "number" ? outcome : 0))
    const objects = bytes.filter((each) => each > 0).length
    // A new order, or a stop, has the last word.
    yield* Effect.orDie(sql`
      update object_place set after_key = ${rows.at(-1)?.key ?? ""},
        pass_objects = pass_objects + ${objects},
        moved_objects = moved_objects + ${objects},
        moved_bytes = moved_bytes + ${bytes.reduce((sum, each) => sum + each, 0)},
        failed_objects = failed_objects + ${failed.length}
      where place = ${place} and after_key is not null`)
    return { failed }
  })

/**
 * A pass that moved something is followed by another one, and so is one that ends soon after the order: runners may
 * have stored in the old place meanwhile. @returns whether the next pass may begin at once
 */
const endPass = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, place: ObjectPlace) {
  const atMs = yield* Clock.currentTimeMillis
  const settledAtMs = atMs - ObjectLimits.objectSettled.ms
  const [row] = yield* Effect.orDie(sql<{ readonly more: boolean }>`
    update object_place set
      after_key = case when goes_on then '' end,
      failed_objects = case when goes_on then 0 else failed_objects end,
      moving = goes_on,
      ended_at_ms = case when goes_on then null else ${atMs}::bigint end,
      pass_objects = 0
    from (select pass_objects > 0 as more,
      pass_objects > 0 or ordered_at_ms > ${settledAtMs} as goes_on from object_place) pass
    where place = ${place} and moving
    returning more`)
  return row?.more === true
})

interface MovingTo extends Moving {
  readonly remote: RemoteBytes
}

/** The copy is read back before the row says that it is there. */
const toRemote = ({ sql, remote, randomHex }: MovingTo): MoveOne =>
  Effect.fnUntraced(function* (key: string) {
    // Every change of a row gives it another `xmin`.
    const [row] = yield* Effect.orDie(sql<{ readonly bytes: Uint8Array; readonly version: string }>`
      select bytes, xmin::text as version from objects where key = ${key} and blob is null`)
    if (row === undefined) return 0
    const moved = placeRemote(remote, row.bytes, randomHex).pipe(
      Effect.flatMap(({ name, sizeBytes, sha256 }) =>
        Effect.gen(function* () {
          const columns = { bytes: null, blob: name, blob_bytes: sizeBytes, blob_sha256: sha256 }
          const back = yield* blobOf(remote, columns)
          if (back === null) return "the S3 has lost it at once"
          const changed = yield* Effect.orDie(sql`
            update objects set bytes = null, blob = ${name}, blob_bytes = ${sizeBytes},
              blob_sha256 = ${sha256}
            where key = ${key} and xmin::text = ${row.version} returning 1`)
          if (changed.length > 0) return sizeBytes
          yield* Effect.orDie(sql`insert into object_garbage (blob) values (${name})`)
          return 0
        })
      )
    )
    return yield* tellingFaults(moved)
  })

const fromRemote = ({ sql, remote }: MovingTo): MoveOne =>
  Effect.fnUntraced(function* (key: string) {
    const [row] = yield* Effect.orDie(
      sql<{
        readonly blob: string
        readonly blob_bytes: number
        readonly blob_sha256: Uint8Array
      }>`select blob, blob_bytes, blob_sha256 from objects where key = ${key} and blob is not null`
    )
    if (row === undefined) return 0
    const moved = Effect.gen(function* () {
      const bytes = yield* blobOf(remote, { ...row, bytes: null })
      const stays = sql`key = ${key} and blob = ${row.blob}`
      if (bytes === null) {
        const still = yield* Effect.orDie(sql`select 1 from objects where ${stays}`)
        return still.length === 0 ? 0 : "the S3 has lost it"
      }
      const changed = yield* Effect.orDie(sql`
        update objects set bytes = ${bytes}, blob = null, blob_bytes = null, blob_sha256 = null
        where ${stays} returning 1`)
      return changed.length > 0 ? bytes.length : 0
    })
    return yield* tellingFaults(moved)
  })

/** An S3 that is away ends the step. Bytes that are not what they were are told, and others go on. */
const tellingFaults = <A, R>(moved: Effect.Effect<A, ObjectsFailure, R>) =>
  Effect.catch(moved, (failure) =>
    failure.away ? Effect.die(failure) : Effect.succeed(failure.message)
  )
