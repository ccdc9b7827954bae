import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

import type { PlacedBytes } from "../objects/ObjectRows.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { atNow, MemoryDatabase } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { RandomHex } from "../store/Secrets.ts"
import { memoryRehearsals } from "./MemoryRehearsals.ts"
import {
  freshProgress,
  isOver,
  isSame,
  type NewRehearsal,
  RehearsalRow,
  rehearsedKey
} from "./RehearsalRow.ts"

/** What a run has come to. */
export type Advance = Pick<RehearsalRow, "progress" | "state">

/** Rehearsals, and the bundles of those that are not over. A failing store is a defect. */
export class RehearsalStore extends Context.Service<
  RehearsalStore,
  {
    /**
     * Begins a rehearsal, or goes on with the one of this bundle; another one of the project stops. `null` = the project
     * is gone.
     */
    begin(begins: NewRehearsal, bundle: Uint8Array): Effect.Effect<RehearsalRow | null>
    find(projectId: ProjectId, rehearsalId: string): Effect.Effect<Option.Option<RehearsalRow>>
    /** The newest first. */
    list(projectId: ProjectId): Effect.Effect<ReadonlyArray<RehearsalRow>>
    /** Those that run, of all projects. */
    readonly running: Effect.Effect<ReadonlyArray<RehearsalRow>>
    /** Stops one that runs, or lets one go on that was stopped; one that is over stays as it is. */
    set(
      rehearsalId: Pick<RehearsalRow, "projectId" | "rehearsalId">,
      state: "running" | "stopped"
    ): Effect.Effect<Option.Option<RehearsalRow>>
    /** Stores how far it is, unless somebody else has written it since. `null` = somebody has: the run is over. */
    advance(row: RehearsalRow, to: Advance): Effect.Effect<RehearsalRow | null>
    /** None = it is over. */
    bundle(row: RehearsalRow): Effect.Effect<Option.Option<Uint8Array>>
  }
>()("@atrium/actors/migrations/RehearsalStore") {
  static readonly layerSql = Layer.effect(
    RehearsalStore,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      return { ...(yield* makeReads), ...(yield* makeWrites), bundle: bundleIn(objects) }
    })
  )

  static readonly layerMemory = Layer.effect(
    RehearsalStore,
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const objects = yield* ObjectStore
      const randomHex = yield* RandomHex
      const rehearsals = memoryRehearsals(database.tables)
      const now = atNow(database)
      return {
        begin: (begins, bundle) =>
          now("RehearsalStore.begin", (nowMs) =>
            rehearsals.begin(begins, { bundle, nowMs, rehearsalId: `rh_${randomHex(16)}` })
          ),
        find: (projectId, rehearsalId) =>
          now("RehearsalStore.find", () =>
            Option.fromNullishOr(rehearsals.find(projectId, rehearsalId))
          ),
        list: (projectId) => now("RehearsalStore.list", () => rehearsals.list(projectId)),
        running: now("RehearsalStore.running", () => rehearsals.running()),
        set: (which, state) =>
          now("RehearsalStore.set", (nowMs) =>
            Option.fromNullishOr(rehearsals.set(which, state, nowMs))
          ),
        advance: (row, to) =>
          now("RehearsalStore.advance", (nowMs) => rehearsals.advance(row, to, nowMs)),
        bundle: bundleIn(objects)
      }
    })
  )
}

const bundleIn = (objects: ObjectStore["Service"]) => (row: RehearsalRow) =>
  objects.get(rehearsedKey(row))

const readRehearsals = readRows(RehearsalRow)

const makeReads = Effect.map(SqlClient.SqlClient, (sql) => ({
  find: Effect.fn("RehearsalStore.find")(function* (projectId: ProjectId, rehearsalId: string) {
    const [row] = yield* readRehearsals(sql`
      select * from rehearsals
      where project_id = ${projectId} and rehearsal_id = ${rehearsalId}`)
    return Option.fromNullishOr(row)
  }),
  list: Effect.fn("RehearsalStore.list")((projectId: ProjectId) =>
    readRehearsals(sql`
      select * from rehearsals where project_id = ${projectId}
      order by created_at_ms desc, rehearsal_id desc`)
  ),
  running: readRehearsals(sql`
    select r.* from rehearsals r
      join projects p on p.project_id = r.project_id and p.deleted_at_ms is null
    where r.state = 'running' order by r.created_at_ms, r.rehearsal_id`).pipe(
    Effect.withSpan("RehearsalStore.running")
  )
}))

/** The parts of a write. */
const writingIn = (
  sql: SqlClient.SqlClient,
  pg: PgClient.PgClient,
  objects: ObjectStore["Service"]
) => ({
  stopOthers: (projectId: ProjectId, rehearsalId: string) => sql`
    update rehearsals set state = 'stopped', revision = revision + 1
    where project_id = ${projectId} and rehearsal_id <> ${rehearsalId} and state = 'running'`,

  resume: (rehearsalId: string, nowMs: number) =>
    readRehearsals(sql`
      update rehearsals set state = 'running', revision = revision + 1, changed_at_ms = ${nowMs}
      where rehearsal_id = ${rehearsalId} and state = 'stopped' returning *`),

  insert: (begins: NewRehearsal, rehearsalId: string, nowMs: number) => {
    const { projectId, hash, baseVersion, sample, candidate, total } = begins
    return readRehearsals(sql`
      insert into rehearsals (rehearsal_id, project_id, state, hash, base_version, sample, candidate,
        total, progress, revision, created_at_ms, changed_at_ms)
      values (${rehearsalId}, ${projectId}, 'running', ${hash}, ${baseVersion},
        ${sample === null ? null : pg.json(sample)}, ${pg.json(candidate)}, ${pg.json(total)},
        ${JSON.stringify(freshProgress)}::text::json, 1, ${nowMs}, ${nowMs})
      returning *`)
  },

  trim: Effect.fnUntraced(function* (projectId: ProjectId) {
    const gone = yield* sql<{ readonly rehearsal_id: string }>`
      delete from rehearsals where rehearsal_id in (
        select rehearsal_id from rehearsals where project_id = ${projectId}
        order by created_at_ms desc, rehearsal_id desc
        offset ${MigrationLimits.rehearsalsKept.max})
      returning rehearsal_id`
    yield* objects.delete(
      gone.map(({ rehearsal_id: rehearsalId }) => rehearsedKey({ projectId, rehearsalId }))
    )
  })
})

const makeBegin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* ObjectStore
  const randomHex = yield* RandomHex
  const write = writingIn(sql, yield* PgClient.PgClient, objects)

  const begun = Effect.fnUntraced(function* (begins: NewRehearsal, at: PlacedBytes) {
    const nowMs = yield* Clock.currentTimeMillis
    const { projectId } = begins
    const there = yield* sql`
      select 1 from projects
      where project_id = ${projectId} and deleted_at_ms is null for update`
    if (there.length === 0) return { row: null, isNew: false }
    const known = yield* readRehearsals(sql`
      select * from rehearsals where project_id = ${projectId}
      order by created_at_ms desc, rehearsal_id desc`)
    const same = known.find((row) => isSame(row, begins))
    if (same !== undefined) {
      yield* write.stopOthers(projectId, same.rehearsalId)
      const [resumed] = yield* write.resume(same.rehearsalId, nowMs)
      return { row: resumed ?? same, isNew: false }
    }
    const rehearsalId = `rh_${randomHex(16)}`
    yield* write.stopOthers(projectId, rehearsalId)
    const [row = null] = yield* write.insert(begins, rehearsalId, nowMs)
    yield* objects.putAll([{ key: rehearsedKey({ projectId, rehearsalId }), at, manifest: {} }])
    yield* write.trim(projectId)
    return { row, isNew: true }
  })

  return Effect.fn("RehearsalStore.begin")(function* (begins: NewRehearsal, bundle: Uint8Array) {
    const at = yield* objects.place(bundle)
    const { row, isNew } = yield* sql.withTransaction(begun(begins, at)).pipe(
      Effect.onError(() => objects.discard([at])),
      Effect.orDie
    )
    if (!isNew) yield* objects.discard([at])
    return row
  })
})

const makeWrites = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pg = yield* PgClient.PgClient
  const objects = yield* ObjectStore
  const { stopOthers } = writingIn(sql, pg, objects)

  const set = Effect.fn("RehearsalStore.set")(function* (
    { projectId, rehearsalId }: Pick<RehearsalRow, "projectId" | "rehearsalId">,
    state: "running" | "stopped"
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const write = Effect.gen(function* () {
      // One write at a time decides which rehearsal of a project runs, as in `begin`.
      yield* sql`select 1 from projects where project_id = ${projectId} for update`
      const [row] = yield* readRehearsals(sql`
        select * from rehearsals
        where project_id = ${projectId} and rehearsal_id = ${rehearsalId} for update`)
      if (row === undefined || isOver(row) || row.state === state) return row
      if (state === "running") yield* stopOthers(projectId, rehearsalId)
      const [changed] = yield* readRehearsals(sql`
        update rehearsals
        set state = ${state}, revision = revision + 1, changed_at_ms = ${nowMs}
        where rehearsal_id = ${rehearsalId} returning *`)
      return changed
    })
    return Option.fromNullishOr(yield* Effect.orDie(sql.withTransaction(write)))
  })

  const advance = Effect.fn("RehearsalStore.advance")(function* (
    row: RehearsalRow,
    { progress, state }: Advance
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const write = Effect.gen(function* () {
      const [written = null] = yield* readRehearsals(sql`
        update rehearsals set progress = ${JSON.stringify(progress)}::text::json, state = ${state},
          revision = revision + 1, changed_at_ms = ${nowMs}
        where rehearsal_id = ${row.rehearsalId} and revision = ${row.revision} and state = 'running'
        returning *`)
      if (written !== null && isOver(written)) yield* objects.delete([rehearsedKey(row)])
      return written
    })
    return yield* Effect.orDie(sql.withTransaction(write))
  })

  return { begin: yield* makeBegin, set, advance }
})
