import { Effect, Result } from "effect"

import { Refused } from "../CommandFailure.ts"

const questionOf = (schemasOfRooms: string): string => `(rooms) => {
  ${schemasOfRooms}
  const ids = schemas.map((schema) => schema.project).filter((id) => typeof id === "string")
  return [...new Set(ids)]
}`

const ask = async (
  bundle: Uint8Array,
  signal: AbortSignal
): Promise<Result.Result<unknown, Refused>> => {
  const { BundleError } = await import("@atrium/sdk/bundle")
  const { askBundle, schemasOfRooms } = await import("@atrium/sdk/bundle/BundleProcess")
  try {
    return Result.succeed(await askBundle(bundle, questionOf(schemasOfRooms), signal))
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    return Result.fail(new Refused({ code: error.code, text: error.messages.join("\n") }))
  }
}

/**
 * The project that the schemas of a bundle declare, if any. Spec: Resolution order, deploy.
 * Refused when the bundle does not load, or when its schemas name several.
 */
export const projectOfSchemas = Effect.fn("SchemaProject.find")(function* (bundle: Uint8Array) {
  const answer = yield* Effect.flatMap(
    Effect.promise((signal) => ask(bundle, signal)),
    Effect.fromResult
  )
  const ids = Array.isArray(answer) ? answer.filter((id) => typeof id === "string") : []
  if (ids.length > 1) {
    return yield* new Refused({
      code: "E_BUNDLE_INVALID",
      text: `the schemas name several projects: ${ids.join(", ")}; say which, with --project`
    })
  }
  return ids[0] ?? null
})
