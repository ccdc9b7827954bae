import { join, relative, resolve } from "node:path"

import { Effect, FileSystem, Option } from "effect"

import { Misused } from "../CommandFailure.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"

const fileName = "service.json"

/** A project file as it was found, or the place where there is none. */
export interface ProjectFileText {
  /** Absolute. */
  readonly filePath: string
  /** The same, as the user would write it. */
  readonly shownPath: string
  /** `null` = there is no file, and none was asked for. */
  readonly text: string | null
}

/**
 * Reads `service.json` of a folder, or the file of `-c`, which must be there. Spec: Project file.
 *
 * @param folder absolute
 */
export const readProjectText = Effect.fn("ProjectFileText.read")(function* (
  folder: string,
  config: Option.Option<string>
) {
  const cwd = yield* WorkingDirectory
  const filePath = Option.match(config, {
    onNone: () => join(folder, fileName),
    onSome: (path) => resolve(cwd, path)
  })
  const shownPath = shown(cwd, filePath)
  const text = yield* readText(filePath, { shownPath, required: Option.isSome(config) })
  const found: ProjectFileText = { filePath, shownPath, text }
  return found
})

/** A path as the user would write it. */
export const shown = (cwd: string, path: string): string => {
  const way = relative(cwd, path)
  if (way === "") return "."
  return way.startsWith("..") ? path : way
}

const readText = Effect.fnUntraced(function* (
  path: string,
  { shownPath, required }: { readonly shownPath: string; readonly required: boolean }
) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.readFileString(path).pipe(
    Effect.catch(({ message, reason }) => {
      if (reason._tag !== "NotFound") return new Misused({ message: `${shownPath}: ${message}` })
      return required
        ? new Misused({ message: `${shownPath}: there is no such file` })
        : Effect.succeed(null)
    })
  )
})
