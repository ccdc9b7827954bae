import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { contentHash, packContent } from "@atrium/actors/sites/SiteContent"
import type { SiteRow, UploadKey } from "@atrium/actors/sites/SiteRows"
import { SiteStore } from "@atrium/actors/sites/SiteStore"
import { untimed } from "@atrium/actors/store/AnswerTime"
import { randomHex } from "@atrium/actors/store/Secrets"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { readSettings } from "@atrium/domain/projects/DeclaredSettings"
import { isoOf } from "@atrium/domain/shared/IsoText"
import {
  BadRequest,
  NotReady,
  SiteFileRefused,
  SiteNotFound,
  UploadNotFound
} from "@atrium/domain/shared/Refusal"
import { isCompressible } from "@atrium/domain/sites/ContentTypes"
import { filesFault, isContentHash, isUploadId } from "@atrium/domain/sites/SiteFiles"
import { labelFault, labelsFor } from "@atrium/domain/sites/SiteLabel"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { type SiteManifest, SitesApi } from "@atrium/domain/sites/SitesApi"
import { Effect, Option, Result, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { projectThere } from "../projects/projectThere.ts"
import { ServedSites } from "./ServedSites.ts"
import { siteUrls } from "./SiteUrls.ts"

/** Has a bound of its own: a large file takes its time to compress and to store. */
const stored = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  change.pipe(
    answeredWithin(SiteLimits.siteStored.ms),
    untimed,
    Effect.catchTag("TimeoutError", () =>
      Effect.fail(new NotReady({ message: "the store did not take the site in time" }))
    )
  )

/** What is wrong with an upload that is to begin; else its settings. */
const settingsOf = ({ label, files, settings }: SiteManifest) => {
  const fault = (label === undefined ? null : labelFault(label)) ?? filesFault(files)
  return fault === null ? readSettings(settings === undefined ? {} : settings) : Result.fail(fault)
}

const shown = (site: SiteRow, url: string) => ({
  label: site.label,
  url,
  files: site.files,
  bytes: site.bytes
})

/** The sites of projects, and the uploads that make them. */
export const SitesHandlers = HttpApiBuilder.group(
  apiOf(SitesApi),
  "sites",
  Effect.fnUntraced(function* (handlers) {
    const sites = yield* SiteStore
    const projects = yield* ProjectStore
    const { ports } = yield* ServedSites
    const put = putting(sites)
    return handlers.handleAll({
      read: Effect.fn("sites.read")(function* () {
        const { projectId } = yield* CallersProject
        const site = (yield* sites.sites([projectId])).get(projectId)
        if (site === undefined) return yield* new SiteNotFound()
        const url = (yield* siteUrls)(site)
        return { ...shown(site, url), deployedAt: isoOf(site.deployedAtMs) }
      }),
      delete: Effect.fn("sites.delete")(function* () {
        const { projectId } = yield* CallersProject
        const removed = yield* sites.remove(projectId)
        if (Option.isNone(removed)) return yield* new SiteNotFound()
        return { label: removed.value.label }
      }),
      begin: Effect.fn("sites.begin")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        const settings = settingsOf(payload)
        if (Result.isFailure(settings)) return yield* new BadRequest({ message: settings.failure })
        const { name } = yield* projectThere(projects, projectId)
        const originOf = yield* siteUrls
        const uploadId = `u_${randomHex(16)}`
        const begun = yield* sites.begin({
          projectId,
          uploadId,
          label: payload.label ?? null,
          labels: labelsFor({ projectId, name }),
          files: payload.files,
          settings: settings.success,
          ports,
          originOf
        })
        return {
          upload: uploadId,
          label: begun.label,
          missing: begun.missing,
          expiresAt: isoOf(begun.expiresAtMs)
        }
      }),
      put: Effect.fn("sites.put")(function* ({ params: { upload, hash }, payload }) {
        const { projectId } = yield* CallersProject
        yield* uploadNamed(upload)
        yield* put({ projectId, uploadId: upload }, hash, payload)
        return { hash, bytes: payload.length }
      }),
      finish: Effect.fn("sites.finish")(function* ({ params: { upload } }) {
        const { projectId } = yield* CallersProject
        yield* uploadNamed(upload)
        const originOf = yield* siteUrls
        const { site, changed } = yield* stored(
          sites.finish({ projectId, uploadId: upload, ports, originOf })
        )
        return { ...shown(site, originOf(site)), changed }
      })
    })
  })
)

/** No upload has another name, and not every text fits into the store. */
const uploadNamed = (upload: string) =>
  isUploadId(upload) ? Effect.void : Effect.fail(new UploadNotFound())

const putting = (sites: SiteStore["Service"]) => {
  const turns = Semaphore.makeUnsafe(SiteLimits.siteStores.max)
  const refused = (message: string) => new SiteFileRefused({ message })
  return Effect.fnUntraced(function* (upload: UploadKey, hash: string, bytes: Uint8Array) {
    const wanted = isContentHash(hash) ? yield* sites.wanted(upload, hash) : Option.none()
    if (Option.isNone(wanted)) return yield* refused("hash: not that of a file of the upload")
    if (bytes.length !== wanted.value.bytes) {
      return yield* refused(`body: ${bytes.length} bytes, not ${wanted.value.bytes} as listed`)
    }
    if ((yield* contentHash(bytes)) !== hash) {
      return yield* refused("body: not the content of this hash")
    }
    if (wanted.value.held) return
    const { projectId } = upload
    const keep = packContent(
      { projectId, hash },
      bytes,
      wanted.value.paths.some(isCompressible)
    ).pipe(Effect.flatMap((content) => turns.withPermit(sites.keep(upload, content))))
    yield* stored(keep)
  })
}
