import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { Carried, type StepOfVersion, VersionStep } from "../migrations/VersionStep.ts"
import { copyInMemory, ObjectStore, putInMemory } from "../objects/ObjectStore.ts"
import { settingColumns } from "../projects/ProjectSettings.ts"
import { projectIn } from "../projects/ProjectStore.ts"
import { bundleKey } from "../rooms/RoomObjects.ts"
import { quarantineIn } from "../rooms/RoomQuarantine.ts"
import type { DeclaredWindow } from "../rooms/RoomSweeps.ts"
import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { RecentlyRead } from "../store/RecentlyRead.ts"
import { bundlesFrom } from "./BundlesRead.ts"
import { declaredWindowsIn } from "./DeclaredWindows.ts"
import { DeployedType } from "./DeployedType.ts"
import {
  type Added,
  type Declared,
  DeploymentRefused,
  type DeploymentRow,
  type Judge,
  type MadePart,
  MadeVersion,
  type NewDeployment
} from "./DeploymentRow.ts"
import {
  addIn,
  declaredInMemory,
  deploymentsIn,
  madeSinceIn,
  stepsIn,
  type StoreInMemory,
  versionsIn,
  windowsIn
} from "./MemoryDeployments.ts"
import { stepsFrom } from "./StepsRead.ts"

const DeploymentColumns = Schema.Struct({
  version: Schema.Int,
  bytes: Schema.Int,
  created_at_ms: Schema.BigInt,
  room_types: Schema.Array(DeployedType),
  relay: Schema.Boolean,
  rollback_of: Schema.NullOr(Schema.Int),
  migrations: Schema.Array(Carried),
  step: Schema.NullOr(VersionStep)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(DeploymentColumns)))

/** Deployments and their bundles; what never changes is read once. A failing store is a defect. */
export class DeploymentStore extends Context.Service<
  DeploymentStore,
  {
    /** Stores bundle and types as the project's next version and makes it the current one. */
    add<R>(
      projectId: ProjectId,
      deployment: NewDeployment,
      judge: Judge<R>
    ): Effect.Effect<DeploymentRow, DeploymentRefused<R> | NotFound>
    /** The same with the bundle and the types of a version that is there: the store copies the bundle itself. */
    addAgain<R>(
      deployed: DeploymentRow,
      judge: Judge<R>
    ): Effect.Effect<DeploymentRow, DeploymentRefused<R> | NotFound>
    current(projectId: ProjectId): Effect.Effect<Option.Option<DeploymentRow>>
    /** The current versions of these projects, without those that have none or are deleted. */
    currentVersions(
      projectIds: ReadonlyArray<ProjectId>
    ): Effect.Effect<ReadonlyMap<ProjectId, number>>
    find(projectId: ProjectId, version: number): Effect.Effect<Option.Option<DeploymentRow>>
    list(projectId: ProjectId): Effect.Effect<ReadonlyArray<DeploymentRow>>
    /** The newest versions that were made at a moment or later, the newest first. */
    since(projectId: ProjectId, part: MadePart): Effect.Effect<ReadonlyArray<MadeVersion>>
    /** The steps of the versions up to this one, ascending. */
    steps(projectId: ProjectId, upTo: number): Effect.Effect<ReadonlyArray<StepOfVersion>>
    /** The newest version of a project that declares each of these room types, by type. */
    declared(
      projectId: ProjectId,
      types: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, Declared>>
    /** The room types of all projects that declare how long their rooms are kept. */
    readonly declaredWindows: Effect.Effect<ReadonlyArray<DeclaredWindow>>
    bundle(projectId: ProjectId, version: number): Effect.Effect<Uint8Array>
  }
>()("@atrium/actors/deployments/DeploymentStore") {
  static readonly layerSql = Layer.effect(
    DeploymentStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient
      const objects = yield* ObjectStore
      const find = finding(readingRow(sql))

      const current = Effect.fn("DeploymentStore.current")(function* (projectId: ProjectId) {
        const rows = yield* Effect.orDie(sql<{ readonly current_version: number | null }>`
          select current_version from projects
          where project_id = ${projectId} and deleted_at_ms is null`)
        const version = rows[0]?.current_version ?? null
        return version === null ? Option.none() : yield* find(projectId, version)
      })

      const add = addingBy(sql, pg, current)

      const list = Effect.fn("DeploymentStore.list")((projectId: ProjectId) =>
        rowsOf(
          projectId,
          sql`select version, bytes, created_at_ms, room_types, relay, rollback_of, migrations,
              step from deployments
              where project_id = ${projectId} order by version desc`
        )
      )

      return {
        add: (projectId, deployment, judge) => {
          const { bundle, ...adding } = addingOf(projectId, deployment)
          return objects.place(bundle).pipe(
            Effect.flatMap((at) => {
              const store = (key: string) => objects.putAll([{ key, at, manifest: {} }])
              return Effect.onError(add(adding, store, judge), () => objects.discard([at]))
            }),
            Effect.withSpan("DeploymentStore.add")
          )
        },
        addAgain: (deployed, judge) => {
          const from = bundleKey(deployed.projectId, deployed.version)
          const store = (key: string) => objects.copy(from, key)
          const adding = addingAgain(deployed)
          return Effect.withSpan(add(adding, store, judge), "DeploymentStore.addAgain")
        },
        current,
        find,
        list,
        since: sinceIn(sql),
        steps: stepsFrom(readingSteps(sql)),
        declared: declaredIn(sql),
        currentVersions: currentVersionsIn(sql),
        declaredWindows: declaredWindowsIn(sql),
        bundle: bundlesFrom(objects)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    DeploymentStore,
    Effect.gen(function* () {
      const { tables, ask } = yield* MemoryDatabase
      const objects = yield* ObjectStore
      const find = finding((projectId, version) =>
        ask("DeploymentStore.find", () => deploymentsIn(tables, projectId).get(version))
      )
      const add = Effect.fnUntraced(function* <R>(
        adding: Added,
        store: StoreInMemory,
        judge: Judge<R>
      ) {
        const createdAtMs = yield* Clock.currentTimeMillis
        const added = yield* ask("DeploymentStore.add", () =>
          addIn(tables, { ...adding, createdAtMs, store, judge })
        )
        if (added === null) return yield* new NotFound()
        return "because" in added ? yield* new DeploymentRefused({ because: added.because }) : added
      })
      return {
        add: (projectId, deployment, judge) => {
          const { bundle, ...adding } = addingOf(projectId, deployment)
          return add(
            adding,
            (key, nowMs) => putInMemory(tables, [{ key, bytes: bundle, manifest: {} }], nowMs),
            judge
          )
        },
        addAgain: (deployed, judge) => {
          const from = bundleKey(deployed.projectId, deployed.version)
          return add(
            addingAgain(deployed),
            (to, nowMs) => copyInMemory(tables, { from, to }, nowMs),
            judge
          )
        },
        current: Effect.fnUntraced(function* (projectId: ProjectId) {
          const version = yield* ask(
            "DeploymentStore.current",
            () => projectIn(tables, projectId)?.currentVersion ?? null
          )
          return version === null ? Option.none() : yield* find(projectId, version)
        }),
        currentVersions: (projectIds) =>
          ask("DeploymentStore.currentVersions", () => versionsIn(tables, projectIds)),
        find,
        list: (projectId) =>
          ask("DeploymentStore.list", () =>
            [...deploymentsIn(tables, projectId).values()].reverse()
          ),
        since: (projectId, part) =>
          ask("DeploymentStore.since", () => madeSinceIn(tables, projectId, part)),
        declared: (projectId, types) =>
          ask("DeploymentStore.declared", () => declaredInMemory(tables, projectId, types)),
        steps: stepsFrom((projectId, upTo) =>
          ask("DeploymentStore.steps", () => stepsIn(tables, projectId, upTo))
        ),
        declaredWindows: ask("DeploymentStore.declaredWindows", () => windowsIn(tables)),
        bundle: bundlesFrom(objects)
      }
    })
  )
}

const addingOf = (
  projectId: ProjectId,
  { bundle, roomTypes, relay = false, migrations = [], settings = {}, failing = [] }: NewDeployment
): Added & { readonly bundle: Uint8Array } => ({
  projectId,
  roomTypes,
  relay,
  bundle,
  bytes: bundle.length,
  rollbackOf: null,
  migrations,
  settings,
  failing
})

const addingAgain = (deployed: DeploymentRow): Added => ({
  projectId: deployed.projectId,
  roomTypes: deployed.roomTypes,
  relay: deployed.relay,
  bytes: deployed.bytes,
  rollbackOf: deployed.rollbackOf ?? deployed.version,
  migrations: deployed.migrations,
  settings: {},
  failing: []
})

/** Adds a row; `store` puts its bundle under the key, in the same transaction. */
const addingBy = (
  sql: SqlClient.SqlClient,
  pg: PgClient.PgClient,
  current: (projectId: ProjectId) => Effect.Effect<Option.Option<DeploymentRow>>
) => {
  const quarantine = quarantineIn(sql)
  return Effect.fnUntraced(function* <R>(
    { settings, failing, ...adding }: Added,
    store: (key: string) => Effect.Effect<void>,
    judge: Judge<R>
  ) {
    const { projectId, roomTypes, relay, bytes, rollbackOf, migrations } = adding
    const createdAtMs = yield* Clock.currentTimeMillis
    const write = Effect.gen(function* () {
      // The project's row orders deployments that arrive at once.
      const [there] = yield* sql<{ readonly pre_release: boolean }>`
        select pre_release from projects
        where project_id = ${projectId} and deleted_at_ms is null for update`
      if (there === undefined) return yield* new NotFound()
      const last = yield* sql<{ readonly version: number | null }>`
        select max(version) as version from deployments where project_id = ${projectId}`
      const version = (last[0]?.version ?? 0) + 1
      const verdict = judge({
        current: Option.getOrNull(yield* current(projectId)),
        next: version,
        preRelease: settings.preRelease ?? there.pre_release
      })
      if (verdict?._tag === "Refused")
        return yield* new DeploymentRefused({ because: verdict.because })
      const step = verdict === null ? null : verdict.step
      yield* store(bundleKey(projectId, version))
      yield* sql`
        insert into deployments
          (project_id, version, bytes, created_at_ms, room_types, relay, rollback_of,
            migrations, step)
        values (${projectId}, ${version}, ${bytes}, ${createdAtMs}, ${pg.json(roomTypes)},
          ${relay}, ${rollbackOf}, ${pg.json(migrations)}, ${step === null ? null : pg.json(step)})`
      yield* sql`
        update projects set current_version = ${version}, ${settingColumns(sql, pg, settings)}
        where project_id = ${projectId}`
      if (failing.length > 0) yield* quarantine({ projectId, version, rooms: failing })
      return { version, step }
    })
    const made = yield* sql.withTransaction(write).pipe(Effect.catchTag("SqlError", Effect.die))
    return { ...adding, ...made, createdAtMs }
  })
}

const readDeclared = readRows(Schema.Struct({ version: Schema.Int, deployed: DeployedType }))

const declaredIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("DeploymentStore.declared")(function* (
    projectId: ProjectId,
    types: ReadonlyArray<string>
  ) {
    const rows = yield* readDeclared(sql`
      select distinct on (deployed ->> 'type') version, deployed
      from deployments cross join lateral jsonb_array_elements(room_types) as deployed
      where project_id = ${projectId} and deployed ->> 'type' = any(${[...types]}::text[])
      order by deployed ->> 'type', version desc`)
    return new Map(rows.map((row) => [row.deployed.type, row]))
  })

const readStep = readRows(Schema.Struct({ version: Schema.Int, step: VersionStep }))

const readingSteps = (sql: SqlClient.SqlClient) => (projectId: ProjectId, upTo: number) =>
  readStep(sql`
    select version, step from deployments
    where project_id = ${projectId} and version <= ${upTo} and step is not null
    order by version`)

type ReadRow = (projectId: ProjectId, version: number) => Effect.Effect<DeploymentRow | undefined>

const readingRow =
  (sql: SqlClient.SqlClient): ReadRow =>
  (projectId, version) =>
    Effect.map(
      rowsOf(
        projectId,
        sql`select version, bytes, created_at_ms, room_types, relay, rollback_of, migrations,
              step from deployments
            where project_id = ${projectId} and version = ${version}`
      ),
      (rows) => rows[0]
    )

/** Finds rows, and keeps those that were read last. */
const finding = (read: ReadRow) => {
  const rowsRead = new RecentlyRead<DeploymentRow>({
    weightMax: DeploymentLimits.deploymentsRead.max,
    weightOf: () => 1
  })
  return Effect.fn("DeploymentStore.find")(function* (projectId: ProjectId, version: number) {
    const key = `${projectId}/${version}`
    const known = rowsRead.get(key)
    if (known !== undefined) return Option.some(known)
    const row = yield* read(projectId, version)
    if (row !== undefined) rowsRead.set(key, row)
    return Option.fromNullishOr(row)
  })
}

const currentVersionsIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("DeploymentStore.currentVersions")(function* (projectIds: ReadonlyArray<ProjectId>) {
    if (projectIds.length === 0) return new Map<ProjectId, number>()
    const rows = yield* Effect.orDie(sql<{
      readonly project_id: ProjectId
      readonly current_version: number
    }>`
      select project_id, current_version
      from projects join json_array_elements_text(${JSON.stringify(projectIds)}::json) wanted(id)
        on project_id = wanted.id
      where current_version is not null and deleted_at_ms is null`)
    return new Map(rows.map((row) => [row.project_id, row.current_version]))
  })

const readMade = readRows(MadeVersion)

const sinceIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("DeploymentStore.since")((projectId: ProjectId, { sinceMs, atMost }: MadePart) =>
    readMade(sql`
      select version, created_at_ms, rollback_of from deployments
      where project_id = ${projectId} and created_at_ms >= ${BigInt(sinceMs)}
      order by version desc limit ${atMost}`)
  )

const rowsOf = <E>(
  projectId: ProjectId,
  query: Effect.Effect<unknown, E>
): Effect.Effect<ReadonlyArray<DeploymentRow>> =>
  query.pipe(
    Effect.flatMap(decodeRows),
    Effect.orDie,
    Effect.map((rows) =>
      rows.map((row) => ({
        projectId,
        version: row.version,
        bytes: row.bytes,
        createdAtMs: Number(row.created_at_ms),
        roomTypes: row.room_types,
        relay: row.relay,
        rollbackOf: row.rollback_of,
        migrations: row.migrations,
        step: row.step
      }))
    )
  )
