import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound, UploadNotFound } from "@atrium/domain/shared/Refusal"
import { originsOf, type SitePorts } from "@atrium/domain/sites/SiteAddress"
import { changedPaths, type SiteFile } from "@atrium/domain/sites/SiteFiles"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { Effect, Option } from "effect"

import { objectTable, putInMemory } from "../objects/ObjectStore.ts"
import { projectIn, projectTable } from "../projects/ProjectStore.ts"
import {
  atNow,
  byText,
  MemoryDatabase,
  MemoryTable,
  type MemoryTables
} from "../store/MemoryDatabase.ts"
import { type ContentCodings, type ContentKey, objectKeys } from "./SiteContent.ts"
import type {
  AskedSite,
  FinishedUpload,
  NewUpload,
  ServedFile,
  SiteRow,
  Sites,
  UploadKey
} from "./SiteRows.ts"
import { chosenLabel, chosenPort, fitting, incomplete, settingsWith } from "./SiteRules.ts"

interface UploadRow extends UploadKey {
  readonly label: string
  readonly settings: DeclaredSettings
  readonly files: number
  readonly bytes: number
  readonly expiresAtMs: number
}

interface ContentRow extends ContentCodings, ContentKey {
  readonly unusedAtMs: number | null
}

interface FilesRow {
  readonly projectId: ProjectId
  readonly files: ReadonlyArray<SiteFile>
}

/** The sites, by their projects. */
export const siteTable = new MemoryTable<SiteRow>()
/** The uploads that are not finished, by id. */
export const uploadTable = new MemoryTable<UploadRow>()
/** The files of uploads and sites, by the id of the upload. */
export const fileTable = new MemoryTable<FilesRow>()
/** The content of projects, by project and hash. */
export const contentTable = new MemoryTable<ContentRow>()

const contentRowKey = ({ projectId, hash }: ContentKey): string => `${projectId}/${hash}`

/** What the transactions share, at one moment. */
class Transaction {
  readonly #tables: MemoryTables
  readonly nowMs: number

  constructor(tables: MemoryTables, nowMs: number) {
    this.#tables = tables
    this.nowMs = nowMs
  }

  get sites() {
    return siteTable.rowsIn(this.#tables)
  }
  get uploads() {
    return uploadTable.rowsIn(this.#tables)
  }
  get files() {
    return fileTable.rowsIn(this.#tables)
  }
  get contents() {
    return contentTable.rowsIn(this.#tables)
  }

  project(projectId: string) {
    return projectIn(this.#tables, projectId)
  }

  setSettings(projectId: ProjectId, settings: DeclaredSettings): void {
    const project = this.project(projectId)
    if (project === null) return
    projectTable.rowsIn(this.#tables).set(projectId, { ...project, ...structuredClone(settings) })
  }

  openUpload({ projectId, uploadId }: UploadKey): UploadRow | null {
    const upload = this.uploads.get(uploadId)
    const isOpen = upload?.projectId === projectId && upload.expiresAtMs > this.nowMs
    return isOpen ? upload : null
  }

  contentsOf(projectId: ProjectId): ReadonlyArray<ContentRow> {
    return [...this.contents.values()].filter((row) => row.projectId === projectId)
  }

  uploadsOf(projectId: ProjectId): ReadonlyArray<UploadRow> {
    return [...this.uploads.values()]
      .filter((row) => row.projectId === projectId)
      .sort(
        (one, other) => other.expiresAtMs - one.expiresAtMs || byText(one.uploadId, other.uploadId)
      )
  }

  takenLabels(projectId: ProjectId): ReadonlySet<string> {
    const others = [
      ...this.sites.values(),
      ...[...this.uploads.values()].filter(
        (row) => row.expiresAtMs > this.nowMs && this.project(row.projectId) !== null
      )
    ].filter((row) => row.projectId !== projectId)
    return new Set(others.map(({ label }) => label))
  }

  freePort(ports: SitePorts | null): number | null {
    if (ports === null) return null
    const taken = new Set([...this.sites.values()].map(({ port }) => port))
    for (let port = ports.from; port <= ports.to; port++) if (!taken.has(port)) return port
    return null
  }

  /** Content without a file is unused from now on, and content with one is used. */
  markUnused(projectId: ProjectId): void {
    const used = new Set(
      [...this.files.values()]
        .filter((row) => row.projectId === projectId)
        .flatMap(({ files }) => files.map(({ hash }) => hash))
    )
    for (const row of this.contentsOf(projectId)) {
      const unusedAtMs = used.has(row.hash) ? null : (row.unusedAtMs ?? this.nowMs)
      this.contents.set(contentRowKey(row), { ...row, unusedAtMs })
    }
  }

  dropUpload({ projectId, uploadId }: UploadKey): void {
    this.uploads.delete(uploadId)
    this.files.delete(uploadId)
    this.markUnused(projectId)
  }

  put(content: Parameters<Sites["keep"]>[1]): void {
    const { objects, ...row } = content
    if (this.contents.has(contentRowKey(row))) return
    putInMemory(this.#tables, objects, this.nowMs)
    this.contents.set(contentRowKey(row), { ...row, unusedAtMs: null })
  }

  remove(content: ContentRow): void {
    this.contents.delete(contentRowKey(content))
    for (const key of objectKeys(content)) objectTable.rowsIn(this.#tables).delete(key)
  }
}

/** Runs transactions on the tables in memory. */
const transacting = (database: MemoryDatabase["Service"]) => {
  const ask = atNow(database)
  const within = <A, E = never>(name: string, change: (at: Transaction) => Effect.Effect<A, E>) =>
    // The rules fail or succeed without waiting, so that the change is one transaction.
    Effect.flatten(
      ask(name, (nowMs) =>
        Effect.runSync(Effect.exit(change(new Transaction(database.tables, nowMs))))
      )
    )
  const read = <A>(name: string, reading: (at: Transaction) => A) =>
    within(name, (at) => Effect.sync(() => reading(at)))
  return { within, read }
}

/** Sites in memory. */
export const makeMemorySites = Effect.map(MemoryDatabase, (database): Sites => {
  const { within, read } = transacting(database)
  return {
    sites: (projectIds) => read("SiteStore.sites", (at) => sitesOf(at, projectIds)),
    at: (asked) => read("SiteStore.at", (at) => siteAt(at, asked)),
    files: (uploadId) => read("SiteStore.files", (at) => filesOf(at, uploadId)),
    begin: (upload) => within("SiteStore.begin", (at) => begin(at, upload)),
    wanted: (upload, hash) => within("SiteStore.wanted", (at) => wanted(at, upload, hash)),
    keep: (upload, content) =>
      within("SiteStore.keep", (at) =>
        at.openUpload(upload) === null
          ? Effect.fail(new UploadNotFound())
          : Effect.sync(() => at.put(content))
      ),
    finish: (upload) => within("SiteStore.finish", (at) => finish(at, upload)),
    remove: (projectId) => read("SiteStore.remove", (at) => remove(at, projectId)),
    removeOld: read("SiteStore.removeOld", removeOld)
  }
})

const sitesOf = ({ sites }: Transaction, projectIds: ReadonlyArray<ProjectId>) => {
  const rows = projectIds.map((projectId) => sites.get(projectId))
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.projectId, row]])))
}

const siteAt = (at: Transaction, asked: AskedSite) => {
  const site = [...at.sites.values()].find(({ label, port }) =>
    "label" in asked ? label === asked.label : port === asked.port
  )
  return site === undefined || at.project(site.projectId) === null
    ? Option.none()
    : Option.some({ projectId: site.projectId, uploadId: site.uploadId })
}

const filesOf = ({ files, contents }: Transaction, uploadId: string): ReadonlyArray<ServedFile> => {
  const { projectId, files: listed } = files.get(uploadId) ?? { projectId: "", files: [] }
  return listed
    .flatMap(({ path, hash, bytes }) => {
      const content = contents.get(`${projectId}/${hash}`)
      if (content === undefined) return []
      const { gzipBytes, brotliBytes } = content
      return [{ path, hash, bytes, gzipBytes, brotliBytes }]
    })
    .sort((one, other) => byText(one.path, other.path))
}

const wanted = (at: Transaction, upload: UploadKey, hash: string) => {
  if (at.openUpload(upload) === null) return Effect.fail(new UploadNotFound())
  const listed = at.files.get(upload.uploadId)?.files ?? []
  const files = listed.filter((file) => file.hash === hash)
  return Effect.succeed(
    Option.map(Option.fromNullishOr(files[0]), ({ bytes }) => ({
      bytes,
      held: at.contents.has(contentRowKey({ projectId: upload.projectId, hash })),
      paths: files.map(({ path }) => path)
    }))
  )
}

const remove = (at: Transaction, projectId: ProjectId): Option.Option<SiteRow> => {
  const project = at.project(projectId)
  const site = at.sites.get(projectId)
  if (project === null || site === undefined) return Option.none()
  at.sites.delete(projectId)
  at.files.delete(site.uploadId)
  at.markUnused(projectId)
  const origins = originsOf(project.origins, { before: site.origin, now: null })
  at.setSettings(projectId, { origins })
  return Option.some(site)
}

const begin = (at: Transaction, upload: NewUpload) =>
  Effect.gen(function* () {
    const { projectId, uploadId, files, settings } = upload
    const project = at.project(projectId)
    if (project === null) return yield* new NotFound()
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const kept = at.uploadsOf(projectId).slice(0, SiteLimits.siteUploads.max - 1)
    const open = kept.filter(({ expiresAtMs }) => expiresAtMs > at.nowMs)
    const stored = [...at.contentsOf(projectId), ...open].reduce((sum, row) => sum + row.bytes, 0)
    yield* fitting(stored + bytes)
    const site = at.sites.get(projectId) ?? null
    const asked = upload.label ?? site?.label ?? null
    const wanted = asked === null ? upload.labels : [asked]
    const label = yield* chosenLabel(wanted, at.takenLabels(projectId))
    const port = yield* chosenPort(upload.ports, site, at.freePort(upload.ports))
    const now = upload.originOf({ label, port })
    yield* settingsWith(settings, project.origins, { before: site?.origin ?? null, now })
    const expiresAtMs = at.nowMs + SiteLimits.siteUploadLife.ms
    for (const old of at.uploadsOf(projectId).slice(kept.length)) at.dropUpload(old)
    at.files.set(uploadId, { projectId, files: structuredClone(files) })
    at.markUnused(projectId)
    at.uploads.set(uploadId, {
      projectId,
      uploadId,
      label,
      settings: structuredClone(settings),
      files: files.length,
      bytes,
      expiresAtMs
    })
    const missing = new Set(
      files
        .map(({ hash }) => hash)
        .filter((hash) => !at.contents.has(contentRowKey({ projectId, hash })))
    )
    return { label, missing: [...missing], expiresAtMs }
  })

const finish = (at: Transaction, finished: FinishedUpload) =>
  Effect.gen(function* () {
    const { projectId, uploadId, ports } = finished
    const project = at.project(projectId)
    const before = at.sites.get(projectId) ?? null
    if (project !== null && before?.uploadId === uploadId) return { site: before, changed: 0 }
    const upload = at.openUpload(finished)
    if (project === null || upload === null) return yield* new UploadNotFound()
    const files = at.files.get(uploadId)?.files ?? []
    const lacking = files.filter(
      ({ hash }) => !at.contents.has(contentRowKey({ projectId, hash }))
    ).length
    if (lacking > 0) return yield* incomplete(lacking)
    const label = yield* chosenLabel([upload.label], at.takenLabels(projectId))
    const port = yield* chosenPort(ports, before, at.freePort(ports))
    const site: SiteRow = {
      projectId,
      label,
      port,
      origin: finished.originOf({ label, port }),
      uploadId,
      files: upload.files,
      bytes: upload.bytes,
      deployedAtMs: at.nowMs
    }
    const moved = { before: before?.origin ?? null, now: site.origin }
    const settings = yield* settingsWith(upload.settings, project.origins, moved)
    const old = before === null ? [] : (at.files.get(before.uploadId)?.files ?? [])
    const changed = changedPaths(hashesOf(old), hashesOf(files))
    if (before !== null) at.files.delete(before.uploadId)
    at.uploads.delete(uploadId)
    at.markUnused(projectId)
    at.setSettings(projectId, settings)
    at.sites.set(projectId, site)
    return { site, changed }
  })

const hashesOf = (files: ReadonlyArray<SiteFile>): ReadonlyMap<string, string> =>
  new Map(files.map(({ path, hash }) => [path, hash]))

const removeOld = (at: Transaction): number => {
  const uploads = [...at.uploads.values()].filter(({ expiresAtMs }) => expiresAtMs <= at.nowMs)
  for (const upload of uploads) at.dropUpload(upload)
  const untilMs = at.nowMs - SiteLimits.siteUnused.ms
  const contents = [...at.contents.values()]
    .filter(({ unusedAtMs }) => unusedAtMs !== null && unusedAtMs <= untilMs)
    .slice(0, SiteLimits.siteSweepBatch.max)
  for (const content of contents) at.remove(content)
  return uploads.length + contents.length
}
