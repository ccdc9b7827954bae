import { constants, type Dirent } from "node:fs"
import { lstat, open, type FileHandle, opendir } from "node:fs/promises"
import { join } from "node:path"

import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { isNeverPublished, pathFault } from "@atrium/domain/sites/SitePath"

import { printable } from "../terminal/Printable.ts"

const { siteFiles, siteFileBytes, siteBytes } = SiteLimits

/** A file that a walk has found. */
export interface FoundFile {
  /** Below the folder, with / between its parts on every system. */
  readonly path: string
  readonly absolute: string
  readonly bytes: number
}

export interface WalkOptions {
  /** Absolute. */
  readonly root: string
  /** The same, as the user would write it. */
  readonly shown: string
  readonly dotfiles: boolean
}

/** A folder that cannot be a site. The message names the folder or the file, and nothing was sent. */
export class SiteFault extends Error {
  override readonly name = "SiteFault"
}

/**
 * All files of a site's folder, in the order of their paths. Private names are never among them, hidden
 * ones only when they are asked for. A symbolic link is refused and never followed, as is what is
 * neither file nor folder, and a folder that holds more than a site may. Rejects with {@link SiteFault}.
 * Spec: Project file, static; C-370.
 */
export const walkSite = async (options: WalkOptions): Promise<ReadonlyArray<FoundFile>> => {
  const { root, shown } = options
  const entry = await lstat(root).catch(() => null)
  if (entry === null) throw new SiteFault(`${shown}: there is no such folder; build the page first`)
  if (entry.isSymbolicLink()) throw linked(shown)
  if (!entry.isDirectory()) throw new SiteFault(`${shown}: is no folder`)
  const walk: Walk = { ...options, files: [], bytes: 0 }
  await walkFolder(walk, "")
  if (walk.files.length === 0) throw new SiteFault(`${shown}: holds no file to publish`)
  return walk.files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** Whether a name of a folder's entry is part of its site. */
export const isPublished = (name: string, dotfiles: boolean): boolean =>
  !isNeverPublished(name) && (dotfiles || !name.startsWith("."))

interface Walk extends WalkOptions {
  readonly files: Array<FoundFile>
  bytes: number
}

const walkFolder = async (walk: Walk, below: string): Promise<void> => {
  for await (const entry of await opendir(join(walk.root, below))) {
    if (!isPublished(entry.name, walk.dotfiles)) continue
    const path = below === "" ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) await walkFolder(walk, path)
    else await addFile(walk, path, entry)
  }
}

const addFile = async (walk: Walk, path: string, entry: Dirent): Promise<void> => {
  const shown = `${walk.shown}/${path}`
  if (entry.isSymbolicLink()) throw linked(shown)
  if (!entry.isFile()) throw new SiteFault(`${shown}: is neither a file nor a folder; remove it`)
  const fault = pathFault(path)
  if (fault !== null) throw new SiteFault(`${printable(shown)}: ${fault}`)
  const absolute = join(walk.root, path)
  const bytes = (await lstat(absolute)).size
  if (bytes > siteFileBytes.max) {
    throw new SiteFault(
      `${shown}: has ${bytes} bytes, and a file of a site has at most ${siteFileBytes.max}`
    )
  }
  walk.files.push({ path, absolute, bytes })
  walk.bytes += bytes
  if (walk.files.length > siteFiles.max) {
    throw new SiteFault(`${walk.shown}: holds more than ${siteFiles.max} files`)
  }
  if (walk.bytes > siteBytes.max) {
    throw new SiteFault(`${walk.shown}: holds more than ${siteBytes.max} bytes in all`)
  }
}

const linked = (shown: string): SiteFault =>
  new SiteFault(`${shown}: is a symbolic link, and links are not followed; put a copy in its place`)

/** Opens a file that a walk has found; what is a link or no file meanwhile is refused. */
export const openFound = async (
  { path, absolute }: FoundFile,
  shown: string
): Promise<FileHandle> => {
  // Without the second flag a pipe would wait for a writer. Windows has neither.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const handle = await open(absolute, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
    (error: unknown) => {
      const code = error instanceof Error && "code" in error ? error.code : error
      if (code === "ENOENT" || code === "ELOOP") throw changed(path, shown)
      throw new SiteFault(`${shown}/${path}: cannot be read (${String(code)})`)
    }
  )
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw changed(path, shown)
}

/** A file that is another one than the walk has found. */
export const changed = (path: string, shown: string): SiteFault =>
  new SiteFault(`${shown}/${path}: changed while it was read; deploy again when the build is done`)
