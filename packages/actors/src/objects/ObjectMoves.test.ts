import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { ObjectMoves } from "./ObjectMoves.ts"
import { ObjectStore } from "./ObjectStore.ts"
import { InlineBytes, Remote, type RemoteBytes } from "./RemoteBytes.ts"
import { makeS3Bytes } from "./S3Bytes.ts"
import { S3Stores, settingsOf, StubOfTest } from "./testing/S3Stores.ts"

const { ms: settledMs } = ObjectLimits.objectSettled
const { max: batch } = ObjectLimits.objectMoveBatch
const keyAt = (at: number): string => `moved/${String(at).padStart(3, "0")}`
const bytesAt = (at: number): Uint8Array => new Uint8Array(1000 + at).fill(at)

/** Puts so many objects, whose keys are in the order of their numbers. */
const putMany = (count: number) =>
  Effect.flatMap(ObjectStore, ({ put }) =>
    Effect.forEach(Array.from({ length: count }), (_, at) =>
      put({ key: keyAt(at), bytes: bytesAt(at), manifest: { at } })
    )
  )

/** The keys of objects whose bytes are others than were put. */
const wrongOf = Effect.fnUntraced(function* (count: number) {
  const { get } = yield* ObjectStore
  const wrong: Array<string> = []
  for (let at = 0; at < count; at++) {
    const bytes = Option.getOrThrow(yield* get(keyAt(at)))
    if (Buffer.compare(bytes, bytesAt(at)) !== 0) wrong.push(keyAt(at))
  }
  return wrong
})

const inS3 = Effect.flatMap(ObjectMoves, ({ census }) => Effect.map(census, ({ s3 }) => s3.objects))

/** All steps that are left. @returns what failed */
const moveAll = Effect.gen(function* () {
  const { step, now } = yield* ObjectMoves
  const failed: Array<string> = []
  for (;;) {
    const done = yield* step
    failed.push(...(done?.failed ?? []).map(({ key }) => key))
    if (done !== null) continue
    if (!(yield* now).moving) return failed
    yield* TestClock.adjust(settledMs)
  }
})

/** Moves with an S3 that is asked as this one wants it. */
const movesOn = (remote: RemoteBytes) =>
  Effect.provide(
    ObjectMoves,
    Layer.fresh(ObjectMoves.layerSql).pipe(
      Layer.provide([Layer.succeed(Remote, remote), Layer.succeed(InlineBytes, 0)])
    )
  )

const clear = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from objects`
  yield* sql`update object_place set place = 's3', moving = false, after_key = null,
    ordered_at_ms = null, ended_at_ms = null`
})

layer(S3Stores)("a move of objects", (it) => {
  it.effect(
    "[C-477] to the S3 is refused while a runner lives that has its objects elsewhere",
    () =>
      Effect.gen(function* () {
        yield* clear
        const sql = yield* SqlClient.SqlClient
        yield* sql`update object_place set place = 'postgres'`
        const moves = yield* ObjectMoves
        /** The connection of this test is there: so the runner lives. */
        const living = (place: string | null) => sql`
        insert into runners (runner, session, started_at_ms, heard_at_ms, version, rooms, clients,
          load, setting, objects_url)
        select '127.0.0.1:9001', application_name, 0, 0, '0.1.0', 0, 0, 0, 'open', ${place}
        from pg_stat_activity where pid = pg_backend_pid()
        on conflict (runner) do update set objects_url = excluded.objects_url`
        const place = moves.remote ?? ""
        for (const elsewhere of ["", `${place}-2`, null]) {
          yield* living(elsewhere)
          expect((yield* Effect.flip(moves.order("s3"))).message).toBe(
            `move: the runner 127.0.0.1:9001 does not have its objects at ${place}: ` +
              "start every runner with the same ATRIUM_OBJECTS_URL"
          )
          expect(yield* moves.now).toMatchObject({ place: "postgres", moving: false })
        }
        yield* moves.order("postgres")
        yield* living(place)
        expect(yield* moves.order("s3")).toMatchObject({ place: "s3", moving: true })
        yield* sql`update runners set session = 'nobody', objects_url = ''`
        expect(yield* moves.order("s3")).toMatchObject({ place: "s3", moving: true })
        yield* sql`delete from runners`
      })
  )

  it.effect("[C-469] goes to PostgreSQL and back, in steps, and says how far it is", () =>
    Effect.gen(function* () {
      yield* clear
      const moves = yield* ObjectMoves
      const count = batch + 1
      yield* putMany(count)
      expect([yield* inS3, yield* moves.step]).toEqual([count, null])
      yield* moves.order("postgres")
      yield* moves.step
      expect(yield* moves.now).toMatchObject({ moving: true, movedObjects: batch, endedAtMs: null })
      expect(yield* wrongOf(count)).toEqual([])
      expect(yield* moveAll).toEqual([])
      expect([yield* inS3, yield* moves.now]).toMatchObject([
        0,
        { place: "postgres", moving: false, afterKey: null, movedObjects: count, failedObjects: 0 }
      ])
      expect(yield* wrongOf(count)).toEqual([])
      yield* moves.order("s3")
      expect(yield* moveAll).toEqual([])
      expect([yield* inS3, yield* moves.now]).toMatchObject([
        count,
        { place: "s3", moving: false, afterKey: null, movedObjects: count }
      ])
      expect(yield* wrongOf(count)).toEqual([])
      const { postgres } = yield* moves.census
      expect(postgres).toEqual({ objects: 0, bytes: 0 })
    })
  )

  it.effect("[C-469] stops, goes on where it was, and turns round", () =>
    Effect.gen(function* () {
      yield* clear
      const moves = yield* ObjectMoves
      yield* putMany(batch + 2)
      yield* moves.order("postgres")
      yield* moves.step
      const stopped = yield* moves.stop
      expect(stopped).toMatchObject({
        moving: false,
        movedObjects: batch,
        afterKey: keyAt(batch - 1)
      })
      expect([yield* moves.step, yield* inS3]).toEqual([null, 2])
      const goesOn = yield* moves.order("postgres")
      expect(goesOn).toMatchObject({
        moving: true,
        movedObjects: batch,
        afterKey: keyAt(batch - 1)
      })
      yield* moves.step
      expect([yield* inS3, (yield* moves.now).movedObjects]).toEqual([0, batch + 2])
      const back = yield* moves.order("s3")
      expect(back).toMatchObject({ place: "s3", moving: true, movedObjects: 0, afterKey: "" })
      yield* moveAll
      expect(yield* inS3).toBe(batch + 2)
      expect(yield* wrongOf(batch + 2)).toEqual([])
    })
  )

  it.effect("[C-469] what a runner still stores in the old place is found by another pass", () =>
    Effect.gen(function* () {
      yield* clear
      const moves = yield* ObjectMoves
      const objects = yield* ObjectStore
      yield* putMany(2)
      // They are on their way when the order comes.
      const late = yield* Effect.forEach([7, 8], (at) => objects.place(bytesAt(at)))
      const store = (at: number) =>
        objects.putAll(
          late.slice(at, at + 1).map((place) => ({ key: `a${at}`, at: place, manifest: {} }))
        )
      yield* moves.order("postgres")
      yield* moves.step
      yield* store(0)
      yield* Effect.repeat(moves.step, { while: (done) => done !== null })
      expect([yield* inS3, (yield* moves.now).moving]).toEqual([0, true])
      yield* TestClock.adjust(settledMs - 1)
      expect([yield* moves.step, (yield* moves.now).moving]).toEqual([null, true])
      yield* store(1)
      yield* TestClock.adjust(1)
      expect([yield* moveAll, yield* inS3]).toEqual([[], 0])
    })
  )

  it.effect("[C-469] a row that changes while its bytes are copied keeps the new ones", () =>
    Effect.gen(function* () {
      yield* clear
      const objects = yield* ObjectStore
      const stub = yield* StubOfTest
      const remote = makeS3Bytes(settingsOf(stub))
      const sql = yield* SqlClient.SqlClient
      yield* putMany(1)
      const changing = (bytes: Uint8Array) =>
        Effect.orDie(sql`update objects set bytes = ${bytes}, blob = null, blob_bytes = null,
          blob_sha256 = null where key = ${keyAt(0)}`)
      const fromS3 = yield* movesOn({
        ...remote,
        get: (...wanted) => Effect.tap(remote.get(...wanted), changing(bytesAt(8)))
      })
      yield* fromS3.order("postgres")
      yield* fromS3.step
      expect(Option.getOrThrow(yield* objects.get(keyAt(0)))).toEqual(bytesAt(8))
      const toS3 = yield* movesOn({
        ...remote,
        put: (object) => Effect.tap(remote.put(object), changing(bytesAt(9)))
      })
      yield* toS3.order("s3")
      yield* toS3.step
      expect(Option.getOrThrow(yield* objects.get(keyAt(0)))).toEqual(bytesAt(9))
      expect((yield* toS3.now).movedObjects).toBe(0)
    })
  )

  it.effect("[C-469] an object that the S3 has lost or changed is told, and the others go on", () =>
    Effect.gen(function* () {
      yield* clear
      const moves = yield* ObjectMoves
      const sql = yield* SqlClient.SqlClient
      const { objects: held } = yield* StubOfTest
      yield* putMany(4)
      const names = yield* sql<{ readonly blob: string }>`select blob from objects order by key`
      held.delete(`live/${names[1]?.blob}`)
      held.set(`live/${names[2]?.blob}`, Buffer.alloc(1002))
      yield* moves.order("postgres")
      const failed = yield* moveAll
      expect(new Set(failed)).toEqual(new Set([keyAt(1), keyAt(2)]))
      expect(yield* moves.now).toMatchObject({ moving: false, movedObjects: 2, failedObjects: 2 })
      expect(yield* inS3).toBe(2)
    })
  )

  it.effect("[C-469] a copy that the S3 has changed is not referred to", () =>
    Effect.gen(function* () {
      yield* clear
      const sql = yield* SqlClient.SqlClient
      const stub = yield* StubOfTest
      const remote = makeS3Bytes(settingsOf(stub))
      yield* sql`insert into objects (key, bytes, manifest, stored_at_ms)
        values (${keyAt(5)}, ${bytesAt(5)}, '{}', 0)`
      const moves = yield* movesOn({
        ...remote,
        put: (object) =>
          Effect.tap(remote.put(object), () =>
            Effect.sync(() => stub.objects.set(`live/${object.name}`, Buffer.alloc(1005)))
          )
      })
      yield* moves.order("s3")
      yield* moves.step
      expect(yield* moves.now).toMatchObject({ movedObjects: 0, failedObjects: 1 })
      const objects = yield* ObjectStore
      expect(Option.getOrThrow(yield* objects.get(keyAt(5)))).toEqual(bytesAt(5))
    })
  )
})
