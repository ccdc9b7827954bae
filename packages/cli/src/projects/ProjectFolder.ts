import { basename, dirname, join, resolve } from "node:path"

import {
  type ProjectFile,
  readProjectFile,
  readProjectKey,
  readStatic,
  withProject
} from "@atrium/domain/projects/ProjectFile"
import { Effect, FileSystem, Option, Result } from "effect"

import { Misused } from "../CommandFailure.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"
import { type ProjectFileText, readProjectText, shown } from "./ProjectFileText.ts"

/** A folder with room code, or with schemas alone, and its project file. */
export interface ProjectFolder {
  /** Absolute; paths of the project file are relative to it. */
  readonly root: string
  /** Of the project file, which may not be there. */
  readonly filePath: string
  /** The same, as the user would write it. */
  readonly shownPath: string
  /** "" when there is no file. */
  readonly text: string
  readonly file: ProjectFile
  /** Room files, or schema files where there is no room code, absolute; none = the site is all. */
  readonly entries: ReadonlyArray<string>
  /** Folders that hold the code: the root, or those that were named. */
  readonly watched: ReadonlyArray<string>
}

export interface ProjectPlace {
  /** Of `-c`. */
  readonly config: Option.Option<string>
  /** Folders, room files and schema files of the command line. */
  readonly paths: ReadonlyArray<string>
}

const roomFiles = ["room.ts", "room.js", "src/room.ts", "src/room.js"] as const
/** Deployed where there is no room code: the service's own rooms hold what they say. */
const schemaFiles = ["schema.ts", "schema.js", "src/schema.ts", "src/schema.js"] as const

/**
 * Finds the project: its file is `./service.json`, or that of `-c`. One folder on the command line
 * is as good as being in it. A project with the key `static` needs no room. Spec: Project file; D-41.
 */
export const openProject = (place: ProjectPlace) => openFolder(place, readProjectFile)

/** The same for a command that reads of the file the project and its name. Spec: Project file, migrate create. */
export const openCodeProject = (place: ProjectPlace) => openFolder(place, readProjectKey)

const openFolder = Effect.fn("ProjectFolder.open")(function* (
  place: ProjectPlace,
  read: typeof readProjectFile
) {
  const found = yield* locate(place)
  const { cwd, root, filePath, shownPath, paths, kinds } = found
  const file = yield* readBy(read, found)
  const named = paths.length === 0 ? [root] : paths
  const entries = yield* Effect.forEach(named, (path, at) =>
    kinds[at] === "File" ? Effect.succeed(path) : entryIn(path)
  )
  const rooms = entries.filter((entry) => entry !== null)
  const empty = entries.indexOf(null)
  if (empty !== -1 && (found.text === null || !hasSite(found.text))) {
    return yield* noRooms(shown(cwd, named[empty] ?? root))
  }
  const folders = named.map((path, at) => (kinds[at] === "File" ? dirname(path) : path))
  const folder: ProjectFolder = {
    root,
    filePath,
    shownPath,
    text: found.text ?? "",
    file,
    entries: [...new Set(rooms)],
    watched: outermost([root === cwd && paths.length > 0 ? [] : [root], folders].flat())
  }
  return folder
})

/**
 * Finds the project for a command that looks at no room, by its file alone. Spec: Project file,
 * deploy --static.
 */
export const openSiteProject = Effect.fn("ProjectFolder.openSite")(function* (place: ProjectPlace) {
  const found = yield* locate(place)
  const { cwd, root, filePath, shownPath, paths, kinds } = found
  const room = paths.find((_, at) => kinds[at] === "File") ?? paths[1]
  if (room !== undefined) {
    return yield* new Misused({
      message: `${shown(cwd, room)}: --static deploys the site alone; leave the rooms out`
    })
  }
  const file = yield* readBy(readProjectKey, found)
  const text = found.text ?? ""
  const folder: ProjectFolder = {
    root,
    filePath,
    shownPath,
    text,
    file,
    entries: [],
    watched: [root]
  }
  return folder
})

/** Says where rooms would be. */
export const noRooms = (shownPath: string): Misused =>
  new Misused({
    message: `${shownPath}: holds no room file (${roomFiles.join(", ")}), and no schema file for rooms without code (${schemaFiles.join(", ")}); name one on the command line`
  })

/** The folder of a project, and the text of its file. */
export const locate = Effect.fnUntraced(function* (place: ProjectPlace) {
  const cwd = yield* WorkingDirectory
  const paths = place.paths.map((path) => resolve(cwd, path))
  const kinds = yield* Effect.forEach(paths, (path) => kindOf(path, shown(cwd, path)))
  const [only] = paths
  const inFolder = paths.length === 1 && kinds[0] === "Directory" && only !== undefined
  const found = yield* readProjectText(inFolder ? only : cwd, place.config)
  return { ...found, cwd, paths, kinds, root: dirname(found.filePath) }
})

const readBy = (
  read: (text: string) => Result.Result<ProjectFile, string>,
  { text, shownPath }: ProjectFileText
): Effect.Effect<ProjectFile, Misused> =>
  text === null
    ? Effect.succeed({})
    : Effect.mapError(
        Effect.fromResult(read(text)),
        (problem) => new Misused({ message: `${shownPath}: ${problem}` })
      )

/** A bad key is refused where the site is deployed. */
const hasSite = (text: string): boolean =>
  Result.match(readStatic(text), { onFailure: () => true, onSuccess: (key) => key !== null })

/** Writes the id of a project that was just created into the project file. */
export const keepProject = Effect.fn("ProjectFolder.keep")(function* (
  folder: ProjectFolder,
  id: string
) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    fs.writeFileString(folder.filePath, withProject(folder.text, id)),
    ({ message }) =>
      new Misused({
        message: `${folder.shownPath}: cannot be written (${message}); the project ${id} was created: add "project": "${id}" yourself`
      })
  )
})

/** Whether a file has the name of one that holds schemas alone, which a client imports, too. */
export const isSchemaFile = (path: string): boolean => /[/\\]schema\.[jt]s$/.test(path)

/** The last resort for a project's name. */
export const directoryName = (folder: ProjectFolder): string => basename(folder.root)

const kindOf = Effect.fnUntraced(function* (path: string, shownPath: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  const kind = Option.getOrNull(info)?.type
  if (kind === "File" || kind === "Directory") return kind
  return yield* new Misused({ message: `${shownPath}: there is no such file or folder` })
})

const entryIn = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  for (const name of [...roomFiles, ...schemaFiles]) {
    const path = join(folder, name)
    if (yield* Effect.orElseSucceed(fs.exists(path), () => false)) return path
  }
  return null
})

const outermost = (folders: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(folders)].filter(
    (folder) => !folders.some((other) => other !== folder && folder.startsWith(join(other, "/")))
  )
