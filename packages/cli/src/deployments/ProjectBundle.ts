import type { Bundle, BundleError } from "@atrium/sdk/bundle"
import { Effect, Result } from "effect"

import { Refused } from "../CommandFailure.ts"
import { migrationFiles } from "../migrations/MigrationFiles.ts"
import { isSchemaFile, type ProjectFolder } from "../projects/ProjectFolder.ts"
import { withProgress } from "../terminal/Progress.ts"
import { warn } from "./ProjectSync.ts"

/**
 * Bundles all room files of a project, and its migrations, into one deployment; its warnings go to standard
 * error. Rooms without code have nothing to migrate.
 */
export const bundleProject = Effect.fn("ProjectBundle.make")(function* (folder: ProjectFolder) {
  const isRelay = folder.entries.every(isSchemaFile)
  const migrations = isRelay ? [] : yield* migrationFiles(folder.root)
  return yield* bundleFiles(folder, [...folder.entries, ...migrations])
})

/** Bundles some files of a project. */
export const bundleFiles = Effect.fn("ProjectBundle.files")(function* (
  { root }: Pick<ProjectFolder, "root">,
  entries: ReadonlyArray<string>
) {
  const made = yield* withProgress("bundling")(Effect.promise(() => bundle(root, entries)))
  const result = yield* Effect.fromResult(made)
  yield* warn(result.warnings)
  return result
})

const bundle = async (
  resolveDir: string,
  entries: ReadonlyArray<string>
): Promise<Result.Result<Bundle, Refused>> => {
  // It starts esbuild, which only a deploy needs.
  const { BundleError, bundleRooms } = await import("@atrium/sdk/bundle")
  try {
    return Result.succeed(await bundleRooms({ entries, resolveDir }))
  } catch (error) {
    if (error instanceof BundleError) return Result.fail(refusalOf(error))
    throw error
  }
}

const refusalOf = ({ code, messages }: BundleError): Refused =>
  // A line about an import bears the code already.
  new Refused({ code, text: messages.map((text) => text.replace(`${code}: `, "")).join("\n") })
