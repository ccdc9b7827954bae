import { createHash } from "node:crypto"

import type { ProjectId } from "@atrium/domain/shared/Ids"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { DeletedProjects } from "../projects/DeletedProjects.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { refusalTag } from "../store/testing/Refusals.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { packContent } from "./SiteContent.ts"
import type { NewUpload } from "./SiteRows.ts"
import { SiteStore } from "./SiteStore.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")
/** The files of a site, by path. */
type Texts = Readonly<Record<string, string>>

let uploads = 0
let labels = 0
/** A label that no other test has. */
const newLabel = () => `site-${++labels}`

const originOf: NewUpload["originOf"] = ({ label, port }) =>
  `http://${label}.localhost:${port ?? 8787}`

const uploadOf = (
  projectId: ProjectId,
  texts: Texts,
  other: Partial<NewUpload> = {}
): NewUpload => ({
  projectId,
  uploadId: `u_${++uploads}`,
  label: null,
  labels: [newLabel()],
  files: Object.entries(texts).map(([path, text]) => ({
    path,
    hash: hashOf(text),
    bytes: bytesOf(text).length
  })),
  settings: {},
  ports: null,
  originOf,
  ...other
})

/** A project of its own, and the steps of a deploy of its site. */
const given = Effect.gen(function* () {
  const projectId = yield* newProject
  const sites = yield* SiteStore
  const projects = yield* ProjectStore
  const keep = Effect.fnUntraced(function* (uploadId: string, text: string) {
    const content = yield* packContent({ projectId, hash: hashOf(text) }, bytesOf(text), false)
    yield* sites.keep({ projectId, uploadId }, content)
  })
  const begin = Effect.fnUntraced(function* (texts: Texts, other: Partial<NewUpload> = {}) {
    const upload = uploadOf(projectId, texts, other)
    const begun = yield* sites.begin(upload)
    return { ...begun, uploadId: upload.uploadId }
  })
  const finish = (uploadId: string, ports: NewUpload["ports"] = null) =>
    sites.finish({
      projectId,
      uploadId,
      ports,
      originOf
    })
  const deploy = Effect.fnUntraced(function* (texts: Texts, other: Partial<NewUpload> = {}) {
    const { uploadId, missing } = yield* begin(texts, other)
    for (const text of Object.values(texts)) {
      if (missing.includes(hashOf(text))) yield* keep(uploadId, text)
    }
    return yield* finish(uploadId, other.ports ?? null)
  })
  const served = Effect.gen(function* () {
    const site = (yield* sites.sites([projectId])).get(projectId)
    if (site === undefined) return null
    const files = yield* sites.files(site.uploadId)
    return Object.fromEntries(files.map(({ path, hash }) => [path, hash]))
  })
  const origins = Effect.map(projects.origins(projectId), Option.getOrThrow)
  return { projectId, sites, projects, keep, begin, finish, deploy, served, origins }
})

const hashes = (texts: Texts) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, hashOf(text)]))

/**
 * The behaviour of every layer of `SiteStore`.
 * @param name of the layer, as the report shows it
 */
export const siteStoreContract = (
  name: string,
  stores: Layer.Layer<
    SiteStore | ProjectStore | DeletedProjects | ObjectStore | TestTables,
    unknown
  >
): void =>
  layer(stores)(name, (it) => {
    it.effect(
      "[C-357] serves an upload when it is finished, and only what changed is missing",
      () =>
        Effect.gen(function* () {
          const { projectId, sites, begin, keep, finish, deploy, served } = yield* given
          const one = { "index.html": "one", "a/b.js": "same", "c.js": "same" }
          const { uploadId, label, missing } = yield* begin(one)
          expect(missing).toEqual([hashOf("one"), hashOf("same")])
          yield* keep(uploadId, "one")
          yield* keep(uploadId, "same")
          expect(yield* served).toBeNull()
          expect(Option.isNone(yield* sites.at({ label }))).toBe(true)
          const { site, changed } = yield* finish(uploadId)
          expect(changed).toBe(3)
          expect(site).toMatchObject({
            projectId,
            label,
            port: null,
            uploadId,
            files: 3,
            bytes: 11
          })
          expect(Option.getOrThrow(yield* sites.at({ label }))).toEqual({ projectId, uploadId })
          expect(yield* served).toEqual(hashes(one))
          // The answer was lost, and the command asks again.
          expect(yield* finish(uploadId)).toEqual({ site, changed: 0 })

          const two = { "index.html": "two", "a/b.js": "same", "d.js": "one" }
          const next = yield* begin(two)
          expect(next.missing).toEqual([hashOf("two")])
          expect(next.label).toBe(label)
          yield* keep(next.uploadId, "two")
          expect((yield* finish(next.uploadId)).changed).toBe(3)
          expect(yield* served).toEqual(hashes(two))
          expect(yield* refusalTag(finish(uploadId))).toBe("E_UPLOAD_NOT_FOUND")
          expect((yield* deploy(two)).changed).toBe(0)
        })
    )

    it.effect("[C-357] keeps the site before while content is missing", () =>
      Effect.gen(function* () {
        const { begin, keep, finish, deploy, served } = yield* given
        yield* deploy({ "index.html": "one" })
        const { uploadId } = yield* begin({ "index.html": "new", "a.js": "new", "b.js": "other" })
        yield* keep(uploadId, "new")
        const refused = yield* Effect.flip(finish(uploadId))
        expect(refused).toMatchObject({
          _tag: "E_UPLOAD_INCOMPLETE",
          message: "upload: 1 files have not come"
        })
        expect(yield* served).toEqual(hashes({ "index.html": "one" }))
        yield* keep(uploadId, "other")
        yield* keep(uploadId, "other")
        expect((yield* finish(uploadId)).changed).toBe(3)
      })
    )

    it.effect("[C-357] of two uploads at once the one that is finished last stands, whole", () =>
      Effect.gen(function* () {
        const { begin, keep, finish, served } = yield* given
        const one = { "index.html": "one", "one.js": "js" }
        const two = { "index.html": "two", "two.js": "js" }
        const first = yield* begin(one)
        const second = yield* begin(two)
        yield* Effect.forEach(
          [
            keep(first.uploadId, "one"),
            keep(second.uploadId, "js"),
            keep(first.uploadId, "js"),
            keep(second.uploadId, "two")
          ],
          (each) => each,
          { concurrency: 4 }
        )
        yield* finish(second.uploadId)
        expect(yield* served).toEqual(hashes(two))
        yield* finish(first.uploadId)
        expect(yield* served).toEqual(hashes(one))
      })
    )

    it.effect(
      "[C-357] tells no project what another one holds, and takes nothing for its upload",
      () =>
        Effect.gen(function* () {
          const one = yield* given
          const other = yield* given
          yield* one.deploy({ "index.html": "shared" })
          const { uploadId, missing } = yield* other.begin({ "index.html": "shared" })
          expect(missing).toEqual([hashOf("shared")])
          expect(yield* refusalTag(one.keep(uploadId, "shared"))).toBe("E_UPLOAD_NOT_FOUND")
          expect(yield* refusalTag(one.finish(uploadId))).toBe("E_UPLOAD_NOT_FOUND")
          const key = { projectId: other.projectId, uploadId }
          const wanted = yield* other.sites.wanted(key, hashOf("shared"))
          expect(wanted).toEqual(Option.some({ bytes: 6, held: false, paths: ["index.html"] }))
          expect(yield* other.sites.wanted(key, hashOf("not listed"))).toEqual(Option.none())
          const foreign = one.sites.wanted({ ...key, projectId: one.projectId }, hashOf("shared"))
          expect(yield* refusalTag(foreign)).toBe("E_UPLOAD_NOT_FOUND")
        })
    )

    it.effect("[C-356] gives a label to one project alone, from the begin of its upload on", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* given, yield* given]
        const label = newLabel()
        const { uploadId } = yield* one.begin({ a: "1" }, { label })
        expect(yield* refusalTag(other.begin({ a: "1" }, { label }))).toBe("E_LABEL_TAKEN")
        yield* one.keep(uploadId, "1")
        yield* one.finish(uploadId)
        const taken = yield* Effect.flip(other.begin({ a: "1" }, { label }))
        expect(taken.message).toBe(`label: taken by another project: ${label}`)
        const second = newLabel()
        const { label: given2 } = yield* other.begin({ a: "1" }, { labels: [label, second] })
        expect(given2).toBe(second)
        expect(yield* refusalTag(other.begin({ a: "1" }, { labels: [label] }))).toBe(
          "E_LABEL_TAKEN"
        )
        // With another label the site leaves the one before to others.
        yield* one.deploy({ a: "1" }, { label: newLabel() })
        expect(Option.isNone(yield* one.sites.at({ label }))).toBe(true)
        expect((yield* other.deploy({ a: "1" }, { label })).site.label).toBe(label)
        yield* other.sites.remove(other.projectId)
        expect(yield* other.sites.remove(other.projectId)).toEqual(Option.none())
        expect(yield* other.served).toBeNull()
        expect((yield* one.deploy({ a: "1" }, { label })).site.label).toBe(label)
      })
    )

    it.effect(
      "[origins.static-adds-site] sets the settings with the site, and adds its origin",
      () =>
        Effect.gen(function* () {
          const { projectId, projects, deploy, origins } = yield* given
          yield* deploy({ a: "1" })
          expect(yield* origins).toEqual(["*"])
          const listed = ["https://game.example"]
          const label = newLabel()
          const settings = { origins: listed, queues: { duel: { size: 2 } }, preRelease: true }
          yield* deploy({ a: "1" }, { label, settings })
          expect(yield* origins).toEqual([...listed, `http://${label}.localhost:8787`])
          const project = Option.getOrThrow(yield* projects.find(projectId))
          expect(project).toMatchObject({ queues: settings.queues, preRelease: true })
          // A site that moves takes its origin along: the label may become another project's.
          const moved = newLabel()
          yield* deploy({ a: "1" }, { label: moved })
          expect(yield* origins).toEqual([...listed, `http://${moved}.localhost:8787`])
          yield* (yield* SiteStore).remove(projectId)
          expect(yield* origins).toEqual(listed)
        })
    )

    it.effect("[C-376] refuses a site whose origin has no place in the list of its project", () =>
      Effect.gen(function* () {
        const { projectId, projects, begin, keep, finish, deploy, origins, served } = yield* given
        const full = Array.from(Array(64), (_, index) => `https://game${index}.example`)
        const refused = "origins: 64 are listed, and the site's would be one more"
        const declaring = begin({ a: "1" }, { settings: { origins: full } })
        expect((yield* Effect.flip(declaring)).message).toBe(refused)
        // The list may become full while the files are on their way.
        const { uploadId } = yield* begin({ a: "1" })
        yield* keep(uploadId, "1")
        yield* projects.declare(projectId, { origins: full })
        expect((yield* Effect.flip(finish(uploadId))).message).toBe(refused)
        expect(yield* origins).toEqual(full)
        expect(yield* served).toBeNull()
        const label = newLabel()
        const withOne = [...full.slice(1), originOf({ label, port: null })]
        yield* deploy({ a: "1" }, { label, settings: { origins: withOne } })
        // A site that moves has the place of its origin before.
        expect((yield* deploy({ a: "1" }, { label: newLabel() })).changed).toBe(0)
      })
    )

    it.effect("[C-357] forgets an upload after an hour, and its content when nothing uses it", () =>
      Effect.gen(function* () {
        const { projectId, sites, begin, keep, finish, deploy, served } = yield* given
        const objects = yield* ObjectStore
        const stored = Effect.map(objects.list(`sites/${projectId}/`), (entries) =>
          entries.map(({ key }) => key.split("/")[2])
        )
        const sweep = Effect.repeat(sites.removeOld, { until: (removed) => removed === 0 })
        yield* deploy({ "index.html": "live" })
        const kept = yield* begin({ "index.html": "live", a: "unfinished" })
        yield* keep(kept.uploadId, "unfinished")
        yield* TestClock.adjust(SiteLimits.siteUploadLife.ms - 1)
        yield* sweep
        const late = yield* begin({ a: "late" })
        yield* TestClock.adjust(1)
        expect(yield* refusalTag(finish(kept.uploadId))).toBe("E_UPLOAD_NOT_FOUND")
        expect(yield* refusalTag(keep(kept.uploadId, "unfinished"))).toBe("E_UPLOAD_NOT_FOUND")
        yield* sweep
        expect((yield* stored).toSorted()).toEqual(
          [hashOf("live"), hashOf("unfinished")].toSorted()
        )
        yield* TestClock.adjust(SiteLimits.siteUnused.ms - 1)
        yield* sweep
        expect(yield* stored).toHaveLength(2)
        yield* TestClock.adjust(1)
        yield* sweep
        expect(yield* stored).toEqual([hashOf("live")])
        expect(yield* served).toEqual(hashes({ "index.html": "live" }))
        yield* keep(late.uploadId, "late")
        expect((yield* finish(late.uploadId)).changed).toBe(2)
      })
    )

    it.effect("[C-357] keeps content that an upload lists again before it is removed", () =>
      Effect.gen(function* () {
        const { sites, begin, finish, deploy, served } = yield* given
        yield* deploy({ a: "one" })
        yield* deploy({ a: "two" })
        const { uploadId, missing } = yield* begin({ a: "one" })
        expect(missing).toEqual([])
        yield* TestClock.adjust(SiteLimits.siteUnused.ms)
        yield* Effect.repeat(sites.removeOld, { until: (removed) => removed === 0 })
        yield* finish(uploadId)
        expect(yield* served).toEqual(hashes({ a: "one" }))
      })
    )

    it.effect(
      "[C-357] has four uploads of a project open, and forgets the oldest for a fifth",
      () =>
        Effect.gen(function* () {
          const { begin, keep } = yield* given
          const open = []
          for (let at = 0; at < SiteLimits.siteUploads.max; at++) {
            open.push((yield* begin({ a: "1" })).uploadId)
            yield* TestClock.adjust(1)
          }
          for (const uploadId of open) yield* keep(uploadId, "1")
          yield* begin({ a: "1" })
          const [oldest = "", ...others] = open
          expect(yield* refusalTag(keep(oldest, "1"))).toBe("E_UPLOAD_NOT_FOUND")
          for (const uploadId of others) yield* keep(uploadId, "1")
        })
    )

    it.effect("[C-357] holds at most 2 GiB of a project, with what was replaced just now", () =>
      Effect.gen(function* () {
        const { projectId, sites, begin } = yield* given
        const { max } = SiteLimits.siteStoredBytes
        const { uploadId } = yield* begin({ a: "1" })
        const content = yield* packContent({ projectId, hash: hashOf("1") }, bytesOf("1"), false)
        yield* sites.keep({ projectId, uploadId }, { ...content, bytes: max - 2 })
        yield* begin({ a: "1" })
        expect(yield* refusalTag(begin({ a: "1" }))).toBe("E_UPLOADS_FULL")
      })
    )

    it.effect("[C-358] gives each site a port of its own, and keeps it", () =>
      Effect.gen(function* () {
        const [one, two, three] = [yield* given, yield* given, yield* given]
        const ports = { from: 9000, to: 9001 }
        const at = Effect.fnUntraced(function* (port: number) {
          return Option.getOrNull(yield* one.sites.at({ port }))?.projectId ?? null
        })
        expect((yield* one.deploy({ a: "1" }, { ports })).site.port).toBe(9000)
        expect((yield* two.deploy({ a: "1" }, { ports })).site.port).toBe(9001)
        expect((yield* one.deploy({ a: "2" }, { ports })).site.port).toBe(9000)
        expect([yield* at(9000), yield* at(9001), yield* at(9002)]).toEqual([
          one.projectId,
          two.projectId,
          null
        ])
        expect(yield* refusalTag(three.begin({ a: "1" }, { ports }))).toBe("E_SITE_PORTS")
        yield* one.sites.remove(one.projectId)
        expect((yield* three.deploy({ a: "1" }, { ports })).site.port).toBe(9000)
        const others = { from: 9001, to: 9002 }
        expect((yield* three.deploy({ a: "1" }, { ports: others })).site.port).toBe(9002)
        expect((yield* three.deploy({ a: "1" })).site.port).toBe(9002)
      })
    )

    it.effect("[C-357] a deleted project has no site, and leaves no row, label or content", () =>
      Effect.gen(function* () {
        const one = yield* given
        const { site } = yield* one.deploy({ a: "1", b: "2" })
        const { uploadId } = yield* one.begin({ a: "3" })
        yield* one.projects.delete(one.projectId)
        const { label } = site
        expect(yield* one.sites.at({ label })).toEqual(Option.none())
        expect(yield* refusalTag(one.begin({ a: "1" }))).toBe("E_NOT_FOUND")
        expect(yield* refusalTag(one.finish(uploadId))).toBe("E_UPLOAD_NOT_FOUND")
        expect(yield* one.sites.remove(one.projectId)).toEqual(Option.none())
        const { removeSome } = yield* DeletedProjects
        yield* Effect.repeat(removeSome(one.projectId), { until: (removed) => removed === 0 })
        expect(yield* one.served).toBeNull()
        expect(yield* one.sites.files(site.uploadId)).toEqual([])
        expect(yield* (yield* ObjectStore).list(`sites/${one.projectId}/`)).toEqual([])
        const other = yield* given
        expect((yield* other.deploy({ a: "1" }, { label })).site.label).toBe(label)
      })
    )
  })
