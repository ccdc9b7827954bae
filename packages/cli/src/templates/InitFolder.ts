import { dirname, join, resolve } from "node:path"

import { Effect, FileSystem, Option } from "effect"

import { Misused } from "../CommandFailure.ts"
import { shown } from "../projects/ProjectFileText.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"
import type { TextFiles } from "./TemplateFiles.ts"
import { examplesFolder, type Template } from "./Templates.ts"

/** The absolute path of a folder that is there, or that can be made. */
export const initFolder = Effect.fn("InitFolder.path")(function* (named: string) {
  const fs = yield* FileSystem.FileSystem
  const cwd = yield* WorkingDirectory
  const path = resolve(cwd, named)
  // The root of the file system is a folder.
  for (let above = path; ; above = dirname(above)) {
    const info = yield* Effect.option(fs.stat(above))
    if (Option.isNone(info)) continue
    if (info.value.type === "Directory") return path
    const message = `${shown(cwd, above)}: is a file; name a folder, or a path where nothing is`
    return yield* new Misused({ message })
  }
})

/** The texts of the example that a template is, by their paths in a project. */
export const readExample = Effect.fn("InitFolder.readExample")(function* (template: Template) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(examplesFolder, template.example)
  const names = yield* fs.readDirectory(folder)
  const copied = names.filter((name) => /\.(?:ts|html|md)$/.test(name)).toSorted()
  const paths = [...copied.map((name) => join(folder, name)), join(examplesFolder, "build.mjs")]
  const texts = yield* Effect.forEach(paths, (path) => fs.readFileString(path))
  const files: TextFiles = Object.fromEntries(
    [...copied, "build.mjs"].map((name, at) => [name, texts[at] ?? ""])
  )
  return files
}, Effect.orDie)

/** Writes the files that are not there yet. What has one of their names stays as it is, even a link to nothing. */
export const writeMissing = Effect.fn("InitFolder.write")(function* (
  folder: string,
  files: TextFiles
) {
  const fs = yield* FileSystem.FileSystem
  const unwritable = (path: string) => (error: { readonly message: string }) =>
    new Misused({ message: `${path}: cannot be written (${error.message})` })
  yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true }), unwritable(folder))
  const written: Array<string> = []
  const kept: Array<string> = []
  for (const [name, text] of Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const path = join(folder, name)
    const isNew = yield* fs.writeFileString(path, text, { flag: "wx" }).pipe(
      Effect.as(true),
      Effect.catch((error) =>
        error.reason._tag === "AlreadyExists"
          ? Effect.succeed(false)
          : Effect.fail(unwritable(path)(error))
      )
    )
    if (isNew) written.push(name)
    else kept.push(name)
  }
  return { written, kept }
})
