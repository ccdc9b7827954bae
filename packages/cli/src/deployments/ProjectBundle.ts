import type { Bundle, BundleError } from "@atrium/sdk/bundle"
import { Effect, Result } from "effect"

import { Refused } from "../CommandFailure.ts"
import type { ProjectFolder } from "../projects/ProjectFolder.ts"
import { withProgress } from "../terminal/Progress.ts"
import { warn } from "./ProjectSync.ts"

/** Bundles all room files of a project into one deployment; its warnings go to standard error. */
export const bundleProject = Effect.fn("ProjectBundle.make")(function* (folder: ProjectFolder) {
  const made = yield* withProgress("bundling")(Effect.promise(() => bundle(folder)))
  const result = yield* Effect.fromResult(made)
  yield* warn(result.warnings)
  return result
})

const bundle = async (folder: ProjectFolder): Promise<Result.Result<Bundle, Refused>> => {
  // It starts esbuild, which only a deploy needs.
  const { BundleError, bundleRooms } = await import("@atrium/sdk/bundle")
  try {
    const options = { entries: folder.entries, resolveDir: folder.root }
    return Result.succeed(await bundleRooms(options))
  } catch (error) {
    if (error instanceof BundleError) return Result.fail(refusalOf(error))
    throw error
  }
}

const refusalOf = ({ code, messages }: BundleError): Refused =>
  // A line about an import bears the code already.
  new Refused({ code, text: messages.map((text) => text.replace(`${code}: `, "")).join("\n") })
