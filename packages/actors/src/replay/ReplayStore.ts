import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import type { ObjectEntry, Put } from "../objects/ObjectRows.ts"
import { ObjectStore, placeAll } from "../objects/ObjectStore.ts"
import { sha256Of } from "../objects/Sha256.ts"
import { atNow, MemoryDatabase } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { memoryReplays } from "./MemoryReplays.ts"
import {
  type ChunkFacts,
  chunkKey,
  ChunkManifest,
  type NewChunk,
  type NewReplay,
  type Recorder,
  replayPrefix,
  ReplayRow,
  rowOf
} from "./ReplayRows.ts"

/** An incarnation whose recording goes on, if its room came back in time. */
export interface Resuming {
  readonly version: number
  readonly epoch: number
  /** The last chunk of it ended at this moment at the earliest. */
  readonly sinceMs: number
}

/**
 * Clips and recordings: a row for each, and its chunks as objects, whose list tells of each chunk without reading it. A
 * failing store is a defect.
 */
export class ReplayStore extends Context.Service<
  ReplayStore,
  {
    /** Stores a clip, all of it or nothing. `null` = its project is gone. */
    add(clip: NewReplay, chunks: ReadonlyArray<NewChunk>): Effect.Effect<ReplayRow | null>
    /**
     * Stores the next chunk of a recording; with the first one the recording is there. `null` = the recording is over, is
     * another incarnation's, or its project is gone.
     */
    append(recorder: Recorder, chunk: NewChunk): Effect.Effect<ReplayRow | null>
    /** No chunk is added to the recording from here on. */
    end(replayId: string): Effect.Effect<void>
    /** Gives the room's recording to its next incarnation, or ends it; `null` = there is none that goes on. */
    resume(key: RoomKey, how: Resuming): Effect.Effect<ReplayRow | null>
    /** Not once it has expired. */
    find(replayId: string): Effect.Effect<Option.Option<ReplayRow>>
    chunks(replay: ReplayRow): Effect.Effect<ReadonlyArray<ChunkFacts>>
    chunk(replay: ReplayRow, index: number): Effect.Effect<Option.Option<ChunkFacts>>
    /** The newest first. */
    list(projectId: ProjectId): Effect.Effect<ReadonlyArray<ReplayRow>>
    /** @returns what was removed; `null` = the project has no such replay */
    remove(projectId: ProjectId, replayId: string): Effect.Effect<ReplayRow | null>
    /** Removes some of the replays that have expired. @returns how many */
    readonly removeExpired: Effect.Effect<number>
    /** Recordings whose rooms have not come back are over. */
    readonly endLost: Effect.Effect<void>
  }
>()("@atrium/actors/replay/ReplayStore") {
  static readonly layerSql = Layer.effect(
    ReplayStore,
    Effect.gen(function* () {
      const reads = yield* makeReads
      return { ...reads, ...(yield* makeWrites(reads.find)) }
    })
  )

  static readonly layerMemory = Layer.effect(
    ReplayStore,
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const objects = yield* ObjectStore
      const now = atNow(database)
      const replays = memoryReplays(database.tables)
      const nowSome = <A>(name: string, ask: (nowMs: number) => A) =>
        now(`ReplayStore.${name}`, ask)
      return {
        add: Effect.fnUntraced(function* (clip, chunks) {
          const puts = yield* putsOf({ projectId: clip.key.projectId, ...clip }, chunks)
          return yield* nowSome("add", (nowMs) => replays.add(clip, { chunks, puts, nowMs }))
        }),
        append: Effect.fnUntraced(function* (recorder, chunk) {
          const facts = yield* factsOf(chunk)
          return yield* nowSome("append", (nowMs) =>
            replays.append(recorder, { chunk, facts, nowMs })
          )
        }),
        end: (replayId) => nowSome("end", () => replays.end(replayId)),
        resume: (key, how) => nowSome("resume", () => replays.resume(key, how)),
        find: (replayId) =>
          nowSome("find", (nowMs) => Option.fromNullishOr(replays.find(replayId, nowMs))),
        chunks: chunksIn(objects),
        chunk: chunkIn(objects),
        list: (projectId) => nowSome("list", (nowMs) => replays.list(projectId, nowMs)),
        remove: (projectId, replayId) =>
          nowSome("remove", (nowMs) => replays.remove({ projectId, replayId }, nowMs)),
        removeExpired: nowSome("removeExpired", (nowMs) => replays.removeExpired(nowMs)),
        endLost: nowSome("endLost", (nowMs) => replays.endLost(nowMs))
      }
    })
  )
}

const readReplays = readRows(ReplayRow)

const makeReads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* ObjectStore
  return {
    find: Effect.fn("ReplayStore.find")(function* (replayId: string) {
      const nowMs = yield* Clock.currentTimeMillis
      const [row] = yield* readReplays(sql`
        select r.* from replays r
          join projects p on p.project_id = r.project_id and p.deleted_at_ms is null
        where r.replay_id = ${replayId} and r.expires_at_ms > ${nowMs}`)
      return Option.fromNullishOr(row)
    }),
    chunks: chunksIn(objects),
    chunk: chunkIn(objects),
    list: Effect.fn("ReplayStore.list")(function* (projectId: ProjectId) {
      const nowMs = yield* Clock.currentTimeMillis
      return yield* readReplays(sql`
        select * from replays where project_id = ${projectId} and expires_at_ms > ${nowMs}
        order by created_at_ms desc, replay_id limit ${ReplayStoreLimits.replaysListed.max}`)
    })
  }
})

/** The parts of a write. */
const writingIn = (sql: SqlClient.SqlClient, objects: ObjectStore["Service"]) => {
  /** The row lock keeps the project from being deleted between this check and the write. */
  const projectIsThere = (projectId: ProjectId) =>
    Effect.map(
      sql`select 1 from projects where project_id = ${projectId} and deleted_at_ms is null for key share`,
      (rows) => rows.length > 0
    )

  /** Bytes go where they belong before the transaction, as an S3 may take its time. */
  const storing = Effect.fnUntraced(function* (
    puts: ReadonlyArray<Put>,
    write: Effect.Effect<ReplayRow | null, unknown>
  ) {
    const placed = yield* placeAll(objects, puts)
    const discard = objects.discard(placed.map(({ at }) => at))
    const transaction = Effect.gen(function* () {
      const row = yield* write
      if (row !== null) {
        const first = row.chunks - placed.length
        yield* objects.putAll(
          placed.map((each, place) => ({ ...each, key: chunkKey(row, first + place) }))
        )
      }
      return row
    })
    return yield* sql.withTransaction(transaction).pipe(
      Effect.tap((row) => (row === null ? discard : Effect.void)),
      Effect.onError(() => discard),
      Effect.orDie
    )
  })

  const insert = (given: ReplayRow) =>
    Effect.map(
      readReplays(sql`
        insert into replays (replay_id, project_id, room_id, type, version, kind, starts_at_ms,
          ends_at_ms, bytes, chunks, created_at_ms, expires_at_ms, epoch, running)
        values (${given.replayId}, ${given.projectId}, ${given.roomId}, ${given.type},
          ${given.version}, ${given.kind}, ${given.startsAtMs}, ${given.endsAtMs}, ${given.bytes},
          ${given.chunks}, ${given.createdAtMs}, ${given.expiresAtMs}, ${given.epoch}, ${given.running})
        returning *`),
      ([row]) => row ?? null
    )

  return { projectIsThere, storing, insert }
}

const makeWrites = Effect.fnUntraced(function* (
  find: (replayId: string) => Effect.Effect<Option.Option<ReplayRow>>
) {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* ObjectStore
  const { projectIsThere, storing, insert } = writingIn(sql, objects)

  const add = Effect.fn("ReplayStore.add")(function* (
    clip: NewReplay,
    chunks: ReadonlyArray<NewChunk>
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const row = { ...rowOf(clip, chunks, nowMs), kind: "clip" as const, epoch: 0, running: false }
    const write = Effect.flatMap(projectIsThere(row.projectId), (isThere) =>
      isThere ? insert(row) : Effect.succeed(null)
    )
    return yield* storing(yield* putsOf(row, chunks), write)
  })

  const append = Effect.fn("ReplayStore.append")(function* (recorder: Recorder, chunk: NewChunk) {
    const nowMs = yield* Clock.currentTimeMillis
    const { replayId, epoch } = recorder
    const next = Effect.map(
      readReplays(sql`
        update replays set chunks = chunks + 1, bytes = bytes + ${chunk.bytes.length}::int,
          ends_at_ms = greatest(ends_at_ms, ${chunk.toMs}), running = true
        where replay_id = ${replayId} and epoch = ${epoch}
        returning *`),
      ([row]) => row ?? null
    )
    const row = {
      ...rowOf(recorder, [chunk], nowMs),
      kind: "recording" as const,
      epoch,
      running: true
    }
    const write = Effect.gen(function* () {
      if (!(yield* projectIsThere(row.projectId))) return null
      const known = yield* sql`select 1 from replays where replay_id = ${replayId} for update`
      if (known.length > 0) return yield* next
      return recorder.begun ? null : yield* insert(row)
    })
    return yield* storing(yield* putsOf(row, [chunk]), write)
  })

  const remove = Effect.fn("ReplayStore.remove")(function* (
    projectId: ProjectId,
    replayId: string
  ) {
    const found = Option.getOrNull(yield* find(replayId))
    if (found === null || found.projectId !== projectId) return null
    yield* removeAll(sql, objects, [found])
    return found
  })

  return { add, append, remove, ...sweepsIn(sql, objects) }
})

/** Ends and removals, which nobody asks for. */
const sweepsIn = (sql: SqlClient.SqlClient, objects: ObjectStore["Service"]) => ({
  end: Effect.fn("ReplayStore.end")((replayId: string) =>
    Effect.asVoid(
      Effect.orDie(sql`update replays set running = false, epoch = 0 where replay_id = ${replayId}`)
    )
  ),
  resume: Effect.fn("ReplayStore.resume")(function* (key: RoomKey, how: Resuming) {
    const ofRoom = sql`project_id = ${key.projectId} and room_id = ${key.roomId} and running`
    const [resumed] = yield* readReplays(sql`
      update replays set epoch = ${how.epoch}
      where ${ofRoom} and version = ${how.version} and ends_at_ms >= ${how.sinceMs}
        and epoch < ${how.epoch}
      returning *`)
    yield* Effect.orDie(sql`
      update replays set running = false, epoch = 0
      where ${ofRoom} and epoch < ${how.epoch}`)
    return resumed ?? null
  }),
  removeExpired: Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const expired = yield* readReplays(sql`
      select * from replays where expires_at_ms <= ${nowMs}
      order by expires_at_ms limit ${ReplayStoreLimits.replaySweepBatch.max}`)
    yield* removeAll(sql, objects, expired)
    return expired.length
  }).pipe(Effect.withSpan("ReplayStore.removeExpired")),
  endLost: Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const untilMs = nowMs - 2 * ReplayStoreLimits.recordingGap.ms
    yield* Effect.orDie(
      sql`update replays set running = false where running and ends_at_ms < ${untilMs}`
    )
  }).pipe(Effect.withSpan("ReplayStore.endLost"))
})

/** One transaction for each: a recording may have thousands of chunks. */
const removeAll = (
  sql: SqlClient.SqlClient,
  objects: ObjectStore["Service"],
  replays: ReadonlyArray<ReplayRow>
) =>
  Effect.forEach(
    replays,
    (replay) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`delete from replays where replay_id = ${replay.replayId}`
            const entries = yield* objects.list(replayPrefix(replay))
            yield* objects.delete(entries.map(({ key }) => key))
          })
        )
        .pipe(Effect.orDie),
    { discard: true }
  )

const factsOf = Effect.fnUntraced(function* (chunk: NewChunk) {
  const { bytes, ...facts } = chunk
  const hash = Buffer.from(yield* sha256Of(bytes)).toString("base64url")
  return { ...facts, hash }
})

/** The objects of the first chunks of a replay. */
const putsOf = Effect.fnUntraced(function* (
  replay: Pick<ReplayRow, "projectId" | "replayId">,
  chunks: ReadonlyArray<NewChunk>
) {
  return yield* Effect.forEach(chunks, (chunk, place) =>
    Effect.map(factsOf(chunk), (manifest) => ({
      key: chunkKey(replay, place),
      bytes: chunk.bytes,
      manifest
    }))
  )
})

const isManifest = Schema.is(ChunkManifest)

const chunksIn = (objects: ObjectStore["Service"]) =>
  Effect.fn("ReplayStore.chunks")((replay: ReplayRow) =>
    Effect.map(objects.list(replayPrefix(replay)), (entries) =>
      entries.flatMap((entry, index) => chunkOf(entry, index))
    )
  )

/** No other key of a replay begins with that of a chunk: all are as long. */
const chunkIn = (objects: ObjectStore["Service"]) =>
  Effect.fn("ReplayStore.chunk")((replay: ReplayRow, index: number) =>
    Effect.map(objects.list(chunkKey(replay, index)), ([entry]) =>
      Option.fromNullishOr(entry === undefined ? undefined : chunkOf(entry, index)[0])
    )
  )

const chunkOf = ({ manifest, sizeBytes }: ObjectEntry, index: number): ReadonlyArray<ChunkFacts> =>
  isManifest(manifest) ? [{ ...manifest, index, bytes: sizeBytes }] : []
