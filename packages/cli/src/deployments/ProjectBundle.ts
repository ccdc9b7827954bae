import { type Bundle, BundleError, bundleRooms } from "@atrium/sdk/bundle"
import { Console, Effect, Result } from "effect"

import { Refused } from "../CommandFailure.ts"
import type { ProjectFolder } from "../projects/ProjectFolder.ts"
import { withProgress } from "../terminal/Progress.ts"

/** Bundles all room files of a project into one deployment; its warnings go to standard error. */
export const bundleProject = Effect.fn("ProjectBundle.make")(function* (folder: ProjectFolder) {
  const made = yield* withProgress("bundling")(Effect.promise(() => bundle(folder)))
  const result = yield* Effect.fromResult(made)
  for (const warning of result.warnings) yield* Console.error(`warning: ${warning}`)
  return result
})

const bundle = async (folder: ProjectFolder): Promise<Result.Result<Bundle, Refused>> => {
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
