import { createHash } from "node:crypto"
import { relative, sep } from "node:path"

import { Effect } from "effect"

import { Misused } from "../CommandFailure.ts"
import { withProgress } from "../terminal/Progress.ts"
import {
  changed,
  type FoundFile,
  openFound,
  SiteFault,
  walkSite,
  type WalkOptions
} from "./SiteWalk.ts"

/** A file of a site, and what is in it. */
export interface SiteFile extends FoundFile {
  /** SHA-256 of the content, in hex. */
  readonly hash: string
}

/** The files of a folder, as they were when they were read. */
export interface SiteManifest {
  readonly shown: string
  readonly files: ReadonlyArray<SiteFile>
}

const readAtOnce = 4

/** Reads all files of a site's folder. Fails before anything is sent. */
export const readManifest = Effect.fn("SiteManifest.read")(function* (options: WalkOptions) {
  const { shown } = options
  const files = yield* tried(() => walkSite(options)).pipe(
    Effect.flatMap((found) =>
      Effect.forEach(found, (file) => tried(() => hashed(file, shown)), { concurrency: readAtOnce })
    ),
    withProgress(`reading ${shown}`)
  )
  const manifest: SiteManifest = { shown, files }
  return manifest
})

/** What is odd about a site, and stops nothing. Source: C-370. */
export const siteWarnings = (
  { shown, files }: SiteManifest,
  { root }: { readonly root: string }
): ReadonlyArray<string> => {
  const room = files.find(({ absolute }) => /^(?:src\/)?room\.[jt]s$/.test(under(root, absolute)))
  return [
    ...(files.some(({ path }) => path === "index.html")
      ? []
      : [`${shown}: holds no index.html, so that the address of the site shows nothing`]),
    ...(room === undefined
      ? []
      : [`${shown}/${room.path}: is room code, which every visitor can read then`])
  ]
}

const under = (root: string, path: string): string => relative(root, path).split(sep).join("/")

/** The content of a file, if it is still what the manifest says. */
export const contentOf = (file: SiteFile, { shown }: SiteManifest) =>
  tried(async () => {
    const handle = await openFound(file, shown)
    try {
      const bytes = new Uint8Array(file.bytes)
      let read = 0
      while (read < bytes.length) {
        const { bytesRead } = await handle.read(bytes, read, bytes.length - read, read)
        if (bytesRead === 0) break
        read += bytesRead
      }
      const { size } = await handle.stat()
      const hash = createHash("sha256").update(bytes).digest("hex")
      if (size !== file.bytes || hash !== file.hash) throw changed(file.path, shown)
      return bytes
    } finally {
      await handle.close()
    }
  })

const hashed = async (file: FoundFile, shown: string): Promise<SiteFile> => {
  const handle = await openFound(file, shown)
  const hash = createHash("sha256")
  let bytes = 0
  // The stream closes the file. A file that grows for ever is not read for ever.
  for await (const chunk of handle.createReadStream({ end: file.bytes })) {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (bytes !== file.bytes) throw changed(file.path, shown)
  return { ...file, hash: hash.digest("hex") }
}

const tried = <A>(read: () => Promise<A>): Effect.Effect<A, Misused> =>
  Effect.tryPromise({
    try: read,
    catch: (error) =>
      new Misused({
        message:
          error instanceof SiteFault ? error.message : `the site cannot be read: ${String(error)}`
      })
  })
