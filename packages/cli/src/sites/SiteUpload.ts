import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { ResolvedProject } from "@atrium/domain/projects/ProjectFile"
import { Duration, Effect, Schedule } from "effect"

import { type CommandFailure, Refused } from "../CommandFailure.ts"
import { unknownHint } from "../deployments/Deploying.ts"
import { whenReady } from "../deployments/WhenReady.ts"
import type { ProjectFolder } from "../projects/ProjectFolder.ts"
import { routeId } from "../projects/ProjectParameters.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { printable } from "../terminal/Printable.ts"
import { withProgress } from "../terminal/Progress.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { contentOf, type SiteFile, type SiteManifest } from "./SiteManifest.ts"

export interface SiteUploadOptions {
  readonly service: ServiceClient
  readonly folder: ProjectFolder
  readonly project: ResolvedProject
  readonly manifest: SiteManifest
  readonly label: string | null
  /** Settings of the project that become so together with the site. */
  readonly settings: DeclaredSettings
}

/** What is served now, and what it took. */
type DeployedSite = Effect.Success<ReturnType<typeof uploadSite>>

const sentAtOnce = 8
/** A connection that was cut is tried again this often, after these spans. */
const again = { times: 3, firstMs: 250 }

/**
 * Uploads what the service does not hold yet of a site, and switches it. Until the last step, and after
 * any failure, the site before stays. Source: C-374.
 */
export const uploadSite = Effect.fn("SiteUpload.upload")(function* (options: SiteUploadOptions) {
  const { service, folder, project, manifest, label, settings } = options
  const id = yield* routeId("project", project.id)
  const hint = unknownHint(folder, project)
  const begin = service.sites.begin({
    params: { id },
    query: {},
    payload: {
      ...(label === null ? {} : { label }),
      files: manifest.files.map(({ path, hash, bytes }) => ({ path, hash, bytes })),
      ...(Object.keys(settings).length === 0 ? {} : { settings })
    }
  })
  const begun = yield* whenReady(service.ask(begin, "transfer")).pipe(
    withProgress(`comparing ${manifest.files.length} files with the site of ${project.id}`),
    hint
  )
  const missing = yield* missingOf(manifest, begun.missing)
  const send = (file: SiteFile) =>
    Effect.flatMap(contentOf(file, manifest), (content) => {
      const params = { id, upload: begun.upload, hash: file.hash }
      const put = service.sites.put({ params, query: {}, payload: content })
      return whenReady(service.ask(put, "transfer"))
    }).pipe(Effect.retry(whenCut))
  yield* sentWithProgress(missing, send)
  const finish = service.sites.finish({
    params: { id, upload: begun.upload },
    query: {},
    payload: {}
  })
  // An answer that was lost is given once more.
  const site = yield* whenReady(service.ask(finish, "transfer")).pipe(
    Effect.retry(whenCut),
    withProgress("switching the site")
  )
  return {
    label: site.label,
    url: site.url,
    files: site.files,
    bytes: site.bytes,
    changed: site.changed,
    uploaded: missing.length,
    uploadedBytes: bytesOf(missing)
  }
})

/** One file for each content that is missing. */
const missingOf = Effect.fnUntraced(function* (
  { files }: SiteManifest,
  hashes: ReadonlyArray<string>
) {
  const byHash = new Map(files.map((file) => [file.hash, file]))
  return yield* Effect.forEach(hashes, (hash) => {
    const file = byHash.get(hash)
    const text = `the service asks for a file that the site does not have: ${printable(hash)}`
    return file === undefined
      ? Effect.fail(new Refused({ code: null, text }))
      : Effect.succeed(file)
  })
})

const whenCut = {
  times: again.times,
  while: (failure: CommandFailure) => failure._tag === "Refused" && failure.unanswered === true,
  schedule: Schedule.exponential(Duration.millis(again.firstMs))
}

/** Sends a few files at once, and says how far it is. */
const sentWithProgress = <R>(
  files: ReadonlyArray<SiteFile>,
  send: (file: SiteFile) => Effect.Effect<unknown, CommandFailure, R>
) => {
  const all = sizeText(bytesOf(files))
  let [sent, sentBytes] = [0, 0]
  const one = (file: SiteFile) =>
    Effect.tap(send(file), () =>
      Effect.sync(() => {
        sent += 1
        sentBytes += file.bytes
      })
    )
  return Effect.forEach(files, one, { concurrency: sentAtOnce, discard: true }).pipe(
    withProgress(
      () => `uploading ${sent} of ${files.length} files, ${sizeText(sentBytes)} of ${all}`
    )
  )
}

const bytesOf = (files: ReadonlyArray<SiteFile>): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

/** `12 files, 3 uploaded, 1.2 MiB; http://arena.localhost:8787` */
export const siteText = ({ files, uploaded, bytes, url }: DeployedSite): string =>
  `${files} ${files === 1 ? "file" : "files"}, ${uploaded} uploaded, ${sizeText(bytes)}; ${printable(url)}`
