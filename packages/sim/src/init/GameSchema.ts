import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

import { BundleError, bundleRooms, endBundler } from "@atrium/sdk/bundle"
import { askBundle, schemasOfRooms } from "@atrium/sdk/bundle/BundleProcess"
import { type AnyRoomSchema, fromDescriptor, SchemaError } from "@atrium/sdk/schema"
import { Effect } from "effect"

import { misused, refused } from "../SimulateFailure.ts"

const question = `(rooms) => {
  ${schemasOfRooms}
  const [, describe] = Object.entries(rooms).find(([name]) => /DescribeEntry\\.[jt]s#describe$/.test(name))
  return schemas.map(describe)
}`

/** The schemas of a file, loaded in a process of their own and read as data of a stranger. */
const load = async (path: string, signal: AbortSignal): Promise<ReadonlyArray<AnyRoomSchema>> => {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."))
  const entry = fileURLToPath(new URL(`./DescribeEntry${extension}`, import.meta.url))
  try {
    const bundle = await bundleRooms({ entries: [path, entry], resolveDir: dirname(path) })
    const described = await askBundle(bundle.bytes, question, signal)
    return Array.isArray(described) ? described.map(fromDescriptor) : []
  } finally {
    await endBundler()
  }
}

/**
 * The schema of one room type.
 *
 * @param path absolute, of a schema or room file
 * @param type which one, when the file has several
 */
export const gameSchema = Effect.fn("GameSchema.read")(function* (
  path: string,
  { shownPath, type }: { readonly shownPath: string; readonly type: string | null }
) {
  const schemas = yield* Effect.tryPromise((signal) => load(path, signal)).pipe(
    Effect.catch(({ cause }) =>
      cause instanceof BundleError || cause instanceof SchemaError
        ? refused(`${shownPath}: ${cause.message}`)
        : Effect.die(cause)
    )
  )
  const types = schemas.map((schema) => schema.type)
  const found = schemas.filter((schema) => type === null || schema.type === type)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (types.length === 0) {
    return yield* misused(`${shownPath}: exports no schema: name the file that calls defineSchema`)
  }
  const problem = type === null ? "declares several room types" : `declares no room type ${type}`
  return yield* misused(`${shownPath}: ${problem}; say one with --type: ${types.join(", ")}`)
})
