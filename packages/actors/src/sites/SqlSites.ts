import { readSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { Origins } from "@atrium/domain/projects/Origins"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound, UploadNotFound } from "@atrium/domain/shared/Refusal"
import { originsOf, type SitePorts } from "@atrium/domain/sites/SiteAddress"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

import { ObjectStore, placeAll } from "../objects/ObjectStore.ts"
import { settingColumns } from "../projects/ProjectSettings.ts"
import { readRows } from "../store/ReadRows.ts"
import { objectKeys } from "./SiteContent.ts"
import { type NewUpload, type ServedFile, SiteRow, type Sites, type UploadKey } from "./SiteRows.ts"
import { chosenLabel, chosenPort, fitting, incomplete, settingsWith } from "./SiteRules.ts"

const readSites = readRows(SiteRow)
const readUploadKeys = readRows(Schema.Struct({ projectId: ProjectId, uploadId: Schema.String }))

interface UploadColumns {
  readonly label: string
  readonly settings: unknown
  readonly files: number
  readonly bytes: bigint
}

/** The statements that several methods share. */
const makeParts = (sql: SqlClient.SqlClient, pg: PgClient.PgClient) => {
  /** All changes of a project's site come one after the other. @returns the origins; none = it is gone */
  const lock = (projectId: ProjectId) =>
    Effect.map(
      sql<{ readonly origins: Origins }>`select origins from projects
        where project_id = ${projectId} and deleted_at_ms is null for update`,
      (rows) => Option.fromNullishOr(rows[0]?.origins)
    )

  const siteOfProject = (projectId: ProjectId) =>
    Effect.map(
      readSites(sql`select * from sites where project_id = ${projectId}`),
      ([site]) => site ?? null
    )

  const openUpload = Effect.fnUntraced(function* ({ projectId, uploadId }: UploadKey) {
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* sql<UploadColumns>`
      select label, settings, files, bytes from site_uploads
      where upload_id = ${uploadId} and project_id = ${projectId} and expires_at_ms > ${nowMs}`
    return rows[0] ?? (yield* new UploadNotFound())
  })

  /** Labels and ports are given one after the other, over all projects. */
  const addressLock = sql`select pg_advisory_xact_lock(hashtextextended('sites', 0))`

  /** Finds which of these labels another project has, or has reserved by an upload. */
  const takenLabels = Effect.fnUntraced(function* (
    projectId: ProjectId,
    labels: ReadonlyArray<string>
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* sql<{ readonly label: string }>`
      select label from sites where ${sql.in("label", labels)} and project_id <> ${projectId}
      union select label from site_uploads join projects using (project_id)
        where ${sql.in("label", labels)} and project_id <> ${projectId}
          and expires_at_ms > ${nowMs} and deleted_at_ms is null`
    return new Set(rows.map(({ label }) => label))
  })

  const freePort = ({ from, to }: SitePorts) =>
    Effect.map(
      sql<{ readonly port: number }>`select port from generate_series(${from}::int, ${to}::int) port
        where not exists (select 1 from sites where sites.port = port.port) order by port limit 1`,
      (rows) => rows[0]?.port ?? null
    )

  /** Content that no file has any more is removed after a while; answers may be under way with it. */
  const markUnused = Effect.fnUntraced(function* (projectId: ProjectId) {
    const nowMs = yield* Clock.currentTimeMillis
    yield* sql`update site_contents c set unused_at_ms = ${nowMs}
      where project_id = ${projectId} and unused_at_ms is null and not exists (
        select 1 from site_files f where f.project_id = c.project_id and f.hash = c.hash)`
  })

  const dropUploads = Effect.fnUntraced(function* (
    projectId: ProjectId,
    uploadIds: ReadonlyArray<string>
  ) {
    if (uploadIds.length === 0) return
    yield* sql`delete from site_uploads where ${sql.in("upload_id", uploadIds)}`
    yield* sql`delete from site_files where ${sql.in("upload_id", uploadIds)}`
    yield* markUnused(projectId)
  })

  const setSettings = (projectId: ProjectId, settings: Parameters<typeof settingColumns>[2]) =>
    sql`update projects set ${settingColumns(sql, pg, settings)} where project_id = ${projectId}`

  return {
    lock,
    siteOfProject,
    openUpload,
    addressLock,
    takenLabels,
    freePort,
    markUnused,
    dropUploads,
    setSettings
  }
}

type Parts = ReturnType<typeof makeParts>

/** Runs a transaction; a failing store is a defect. */
const atomic =
  (sql: SqlClient.SqlClient) =>
  <A, E>(change: Effect.Effect<A, E | SqlError | Schema.SchemaError>) =>
    sql
      .withTransaction(change)
      .pipe(Effect.catchTag("SqlError", Effect.die), Effect.catchTag("SchemaError", Effect.die))

/** Sites on PostgreSQL. */
export const makeSqlSites = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pg = yield* PgClient.PgClient
  const objects = yield* ObjectStore
  const parts = makeParts(sql, pg)
  const whole = atomic(sql)
  const begin = beginning({ sql, pg }, parts)
  const finish = finishing(sql, parts)

  const sites: Sites = {
    ...reading(sql),
    begin: (upload) => Effect.withSpan(whole(begin(upload)), "SiteStore.begin"),
    wanted: Effect.fn("SiteStore.wanted")(function* (upload, hash) {
      yield* Effect.catchTag(parts.openUpload(upload), "SqlError", Effect.die)
      const { projectId, uploadId } = upload
      const rows = yield* Effect.orDie(sql<{
        readonly path: string
        readonly bytes: number
        readonly held: boolean
      }>`select path, f.bytes, c.hash is not null as held
        from site_files f left join site_contents c using (project_id, hash)
        where f.upload_id = ${uploadId} and project_id = ${projectId} and hash = ${hash}`)
      return Option.map(Option.fromNullishOr(rows[0]), ({ bytes, held }) => ({
        bytes,
        held,
        paths: rows.map(({ path }) => path)
      }))
    }),
    keep: keeping({ sql, objects }, parts),
    finish: (upload) => Effect.withSpan(whole(finish(upload)), "SiteStore.finish"),
    remove: (projectId) =>
      Effect.gen(function* () {
        const origins = yield* parts.lock(projectId)
        const site = yield* parts.siteOfProject(projectId)
        if (site === null || Option.isNone(origins)) return Option.none()
        yield* sql`delete from sites where project_id = ${projectId}`
        yield* sql`delete from site_files where upload_id = ${site.uploadId}`
        yield* parts.markUnused(projectId)
        const left = originsOf(origins.value, { before: site.origin, now: null })
        yield* parts.setSettings(projectId, { origins: left })
        return Option.some(site)
      }).pipe(whole, Effect.withSpan("SiteStore.remove")),
    removeOld: removing({ sql, objects }, parts)
  }
  return sites
})

/** The database, and the objects that hold the content of sites. */
interface Stores {
  readonly sql: SqlClient.SqlClient
  readonly objects: ObjectStore["Service"]
}

const keeping = ({ sql, objects }: Stores, parts: Parts): Sites["keep"] => {
  const whole = atomic(sql)
  return Effect.fn("SiteStore.keep")(function* (upload, content) {
    const { projectId, hash, bytes, gzipBytes, brotliBytes } = content
    const placed = yield* placeAll(objects, content.objects)
    const discard = objects.discard(placed.map(({ at }) => at))
    const made = yield* Effect.gen(function* () {
      // The removal of content waits until this is done.
      yield* sql`select 1 from projects where project_id = ${projectId} for share`
      yield* parts.openUpload(upload)
      const rows = yield* sql`
        insert into site_contents (project_id, hash, bytes, gzip_bytes, brotli_bytes)
        values (${projectId}, ${hash}, ${bytes}, ${gzipBytes}, ${brotliBytes})
        on conflict do nothing returning 1`
      if (rows.length > 0) yield* objects.putAll(placed)
      return rows.length > 0
    }).pipe(
      whole,
      Effect.onError(() => discard)
    )
    // Another request has sent the same content meanwhile.
    if (!made) yield* discard
  })
}

const reading = (sql: SqlClient.SqlClient): Pick<Sites, "sites" | "at" | "files"> => ({
  sites: Effect.fn("SiteStore.sites")(function* (projectIds) {
    if (projectIds.length === 0) return new Map()
    const rows = yield* readSites(sql`
      select sites.* from sites
        join json_array_elements_text(${JSON.stringify(projectIds)}::json) wanted(id)
          on project_id = wanted.id`)
    return new Map(rows.map((row) => [row.projectId, row]))
  }),
  at: Effect.fn("SiteStore.at")(function* (asked) {
    const of = "label" in asked ? sql`label = ${asked.label}` : sql`port = ${asked.port}`
    const rows = yield* readUploadKeys(sql`
      select project_id, upload_id
      from sites join projects using (project_id) where ${of} and deleted_at_ms is null`)
    return Option.fromNullishOr(rows[0])
  }),
  files: Effect.fn("SiteStore.files")((uploadId) =>
    Effect.orDie(sql<ServedFile>`
      select path, hash, f.bytes, gzip_bytes as "gzipBytes", brotli_bytes as "brotliBytes"
      from site_files f join site_contents using (project_id, hash)
      where upload_id = ${uploadId} order by path`)
  )
})

const beginning = (
  { sql, pg }: { readonly sql: SqlClient.SqlClient; readonly pg: PgClient.PgClient },
  parts: Parts
) =>
  Effect.fnUntraced(function* (upload: NewUpload) {
    const { projectId, uploadId, files, settings } = upload
    const nowMs = yield* Clock.currentTimeMillis
    const origins = yield* parts.lock(projectId)
    if (Option.isNone(origins)) return yield* new NotFound()
    const open = yield* sql<{ readonly upload_id: string }>`select upload_id from site_uploads
      where project_id = ${projectId} order by expires_at_ms desc, upload_id`
    const oldest = open.slice(SiteLimits.siteUploads.max - 1).map((row) => row.upload_id)
    yield* parts.dropUploads(projectId, oldest)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const [stored] = yield* sql<{ readonly bytes: number }>`select (
      coalesce((select sum(bytes) from site_contents where project_id = ${projectId}), 0) +
      coalesce((select sum(bytes) from site_uploads where project_id = ${projectId}
        and expires_at_ms > ${nowMs}), 0))::double precision as bytes`
    yield* fitting((stored?.bytes ?? 0) + bytes)
    yield* sql`insert into site_files (upload_id, path, project_id, hash, bytes)
      select ${uploadId}, path, ${projectId}, hash, bytes from unnest(
        ${files.map(({ path }) => path)}::text[], ${files.map(({ hash }) => hash)}::text[],
        ${files.map((file) => file.bytes)}::int[]) as given (path, hash, bytes)`
    yield* sql`update site_contents c set unused_at_ms = null
      where project_id = ${projectId} and unused_at_ms is not null and exists (
        select 1 from site_files f where f.project_id = c.project_id and f.hash = c.hash)`
    const held = yield* sql<{ readonly hash: string }>`
      select hash from site_contents where project_id = ${projectId}`
    const site = yield* parts.siteOfProject(projectId)
    yield* parts.addressLock
    const asked = upload.label ?? site?.label ?? null
    const wanted = asked === null ? upload.labels : [asked]
    const label = yield* chosenLabel(wanted, yield* parts.takenLabels(projectId, wanted))
    const free = upload.ports && (yield* parts.freePort(upload.ports))
    const port = yield* chosenPort(upload.ports, site, free)
    const now = upload.originOf({ label, port })
    yield* settingsWith(settings, origins.value, { before: site?.origin ?? null, now })
    const expiresAtMs = nowMs + SiteLimits.siteUploadLife.ms
    yield* sql`insert into site_uploads
        (upload_id, project_id, label, settings, files, bytes, expires_at_ms)
      values (${uploadId}, ${projectId}, ${label}, ${pg.json(settings)}, ${files.length},
        ${bytes}, ${expiresAtMs})`
    const known = new Set(held.map(({ hash }) => hash))
    const missing = new Set(files.map(({ hash }) => hash).filter((hash) => !known.has(hash)))
    return { label, missing: [...missing], expiresAtMs }
  })

const finishing = (sql: SqlClient.SqlClient, parts: Parts) =>
  Effect.fnUntraced(function* (finished: Parameters<Sites["finish"]>[0]) {
    const { projectId, uploadId, ports } = finished
    const origins = yield* parts.lock(projectId)
    const before = yield* parts.siteOfProject(projectId)
    if (Option.isNone(origins)) return yield* new UploadNotFound()
    if (before?.uploadId === uploadId) return { site: before, changed: 0 }
    const upload = yield* parts.openUpload(finished)
    const [lacking] = yield* sql<{ readonly files: number }>`
      select count(*)::int as files from site_files f
      where upload_id = ${uploadId} and not exists (
        select 1 from site_contents c where c.project_id = f.project_id and c.hash = f.hash)`
    if (lacking !== undefined && lacking.files > 0) return yield* incomplete(lacking.files)
    const [differing] = yield* sql<{ readonly paths: number }>`select count(*)::int as paths
      from (select path, hash from site_files where upload_id = ${before?.uploadId ?? ""}) o
      full join (select path, hash from site_files where upload_id = ${uploadId}) n using (path)
      where o.hash is distinct from n.hash`
    if (before !== null) {
      yield* sql`delete from site_files where upload_id = ${before.uploadId}`
      yield* parts.markUnused(projectId)
    }
    yield* sql`delete from site_uploads where upload_id = ${uploadId}`
    yield* parts.addressLock
    const taken = yield* parts.takenLabels(projectId, [upload.label])
    const label = yield* chosenLabel([upload.label], taken)
    const port = yield* chosenPort(ports, before, ports && (yield* parts.freePort(ports)))
    const site: SiteRow = {
      projectId,
      label,
      port,
      uploadId,
      files: upload.files,
      bytes: Number(upload.bytes),
      origin: finished.originOf({ label, port }),
      deployedAtMs: yield* Clock.currentTimeMillis
    }
    const moved = { before: before?.origin ?? null, now: site.origin }
    const declared = Result.getOrThrowWith(
      readSettings(upload.settings),
      (fault) => new Error(fault)
    )
    yield* parts.setSettings(projectId, yield* settingsWith(declared, origins.value, moved))
    yield* sql`insert into sites
        (project_id, label, port, origin, upload_id, files, bytes, deployed_at_ms)
      values (${projectId}, ${label}, ${port}, ${site.origin}, ${uploadId}, ${site.files},
        ${site.bytes}, ${site.deployedAtMs})
      on conflict (project_id) do update set label = excluded.label, port = excluded.port,
        origin = excluded.origin, upload_id = excluded.upload_id, files = excluded.files,
        bytes = excluded.bytes, deployed_at_ms = excluded.deployed_at_ms`
    return { site, changed: differing?.paths ?? 0 }
  })

const removing = ({ sql, objects }: Stores, parts: Parts): Sites["removeOld"] => {
  const whole = atomic(sql)
  const { max } = SiteLimits.siteSweepBatch

  const uploadsOver = Effect.fnUntraced(function* (nowMs: number) {
    const over = yield* readUploadKeys(sql`
      select project_id, upload_id from site_uploads where expires_at_ms <= ${nowMs}
      order by expires_at_ms limit 1`)
    for (const { projectId, uploadId } of over) {
      yield* whole(Effect.andThen(locked(projectId), parts.dropUploads(projectId, [uploadId])))
    }
    return over.length
  })

  const contentOver = Effect.fnUntraced(function* (untilMs: number) {
    const over = yield* sql<{ readonly project_id: ProjectId; readonly hash: string }>`
      select project_id, hash from site_contents where unused_at_ms <= ${untilMs}
      order by unused_at_ms limit ${max}`
    for (const projectId of new Set(over.map((row) => row.project_id))) {
      const hashes = over.filter((row) => row.project_id === projectId).map(({ hash }) => hash)
      yield* whole(
        Effect.gen(function* () {
          yield* locked(projectId)
          const gone = yield* sql<{ readonly hash: string }>`delete from site_contents
            where project_id = ${projectId} and ${sql.in("hash", hashes)}
              and unused_at_ms <= ${untilMs} returning hash`
          yield* objects.delete(gone.flatMap(({ hash }) => objectKeys({ projectId, hash })))
        })
      )
    }
    return over.length
  })

  /** Locks the row of a project, also of one that is deleted. */
  const locked = (projectId: ProjectId) =>
    sql`select 1 from projects where project_id = ${projectId} for update`

  return Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const uploads = yield* uploadsOver(nowMs)
    return uploads + (yield* contentOver(nowMs - SiteLimits.siteUnused.ms))
  }).pipe(Effect.orDie, Effect.withSpan("SiteStore.removeOld"))
}
