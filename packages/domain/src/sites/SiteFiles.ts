import { MiB } from "@atrium/wire/limits/Limit"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"

import { visibleText } from "../shared/VisibleText.ts"
import { SiteLimits } from "./SiteLimits.ts"
import { pathFault } from "./SitePath.ts"

/** A file of a site: its path below the site, and its content by the SHA-256 in hex. */
export interface SiteFile {
  readonly path: string
  readonly hash: string
  readonly bytes: number
}

/** SHA-256 in lower-case hex. */
export const isContentHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Whether a text can name an upload. */
export const isUploadId = (text: string): boolean => /^u_[0-9a-f]{16}$/.test(text)

const { siteFiles, siteFileBytes, siteBytes } = SiteLimits

const faultOfFile = ({ path, hash, bytes }: SiteFile): string | null => {
  const fault = pathFault(path)
  if (fault !== null) return fault
  if (!isContentHash(hash)) return "hash must be 64 of 0-9 a-f"
  if (!Number.isSafeInteger(bytes) || bytes < 0) return "bytes must be a whole number"
  return bytes > siteFileBytes.max ? `over ${siteFileBytes.max / MiB} MiB` : null
}

/** The reason comes first, so that a long path is what the message loses. */
const named = (fault: string, path: string): string =>
  serviceMessage(`files: ${fault}: ${visibleText(path)}`)

/**
 * Why these files cannot be a site, naming the first bad one; `null` = they can. A path must not be a
 * folder of another one, and one content has one size.
 */
export const filesFault = (files: ReadonlyArray<SiteFile>): string | null => {
  if (files.length === 0) return "files: must have at least one file"
  if (files.length > siteFiles.max) return `files: over ${siteFiles.max} files`
  const sizes = new Map<string, number>()
  const paths = new Set<string>()
  let total = 0
  for (const file of files) {
    const fault = faultOfFile(file)
    if (fault !== null) return named(fault, file.path)
    if (paths.has(file.path)) return named("named twice", file.path)
    if ((sizes.get(file.hash) ?? file.bytes) !== file.bytes) {
      return named("another size of the same hash", file.path)
    }
    paths.add(file.path)
    sizes.set(file.hash, file.bytes)
    total += file.bytes
  }
  if (total > siteBytes.max) return `files: over ${siteBytes.max / MiB} MiB in all`
  const folder = files.find(({ path }) => foldersOf(path).some((each) => paths.has(each)))
  return folder === undefined ? null : named("below another file", folder.path)
}

const foldersOf = (path: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    folders.push(path.slice(0, at))
  }
  return folders
}

/** How many paths differ between two sites: they are new, gone, or have another content. */
export const changedPaths = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>
): number => {
  const gone = [...before.keys()].filter((path) => !after.has(path)).length
  return gone + [...after].filter(([path, hash]) => before.get(path) !== hash).length
}
