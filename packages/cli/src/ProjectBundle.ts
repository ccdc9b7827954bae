import { type Bundle, BundleError, bundleRooms } from "@atrium/sdk/bundle"
import { Console, Effect } from "effect"

import { Refused } from "./CommandFailure.ts"
import { withProgress } from "./Progress.ts"
import type { ProjectFolder } from "./ProjectFolder.ts"

/** Bundles all room files of a project into one deployment; its warnings go to standard error. */
export const bundleProject = Effect.fn("ProjectBundle.make")(function* (folder: ProjectFolder) {
  const bundle: Bundle = yield* Effect.tryPromise({
    try: () => bundleRooms({ entries: folder.entries, resolveDir: folder.root }),
    catch: (error) => error
  }).pipe(
    Effect.catch((error) =>
      error instanceof BundleError ? Effect.fail(refusalOf(error)) : Effect.die(error)
    ),
    withProgress("bundling")
  )
  for (const warning of bundle.warnings) yield* Console.error(`warning: ${warning}`)
  return bundle
})

const refusalOf = ({ code, messages }: BundleError): Refused =>
  // A line about an import bears the code already.
  new Refused({ code, text: messages.map((text) => text.replace(`${code}: `, "")).join("\n") })
