import { lstatSync } from "node:fs"
import { join } from "node:path"

import { pathFault } from "@atrium/domain/sites/SitePath"

import { isPublished } from "./SiteWalk.ts"

/**
 * The file that a deploy of a folder would publish at this path, absolute; `null` = there is none. Hidden
 * files, names that are never published, symbolic links and what is outside are none. Source: C-372.
 *
 * @param root absolute
 */
export const publishedFile = (root: string, path: string): string | null => {
  const parts = path.split("/")
  if (pathFault(path) !== null || !parts.every((part) => isPublished(part, false))) return null
  let absolute = root
  for (const part of parts.slice(0, -1)) {
    absolute = join(absolute, part)
    if (entryAt(absolute)?.isDirectory() !== true) return null
  }
  absolute = join(absolute, parts.at(-1) ?? "")
  return entryAt(absolute)?.isFile() === true ? absolute : null
}

/** What is there itself: a link is not followed. */
const entryAt = (path: string) => {
  try {
    return lstatSync(path)
  } catch {
    return null
  }
}
