import { describe, fromDescriptor, schemaHash } from "@atrium/wire/schema"
import { storedDescriptor } from "@atrium/wire/schema/HiddenState"
import { Effect, Result } from "effect"

import { Refused } from "../CommandFailure.ts"
import type { NamedSchema } from "./MigrationText.ts"

/** The room types of a bundle, as a service would store their rooms. */
export interface DescribedBundle {
  readonly relay: boolean
  readonly types: ReadonlyMap<string, NamedSchema>
}

/** Loads a bundle in a process of its own and asks it for its room types. */
export const describedBundle = Effect.fn("DescribedBundle.ask")(function* (bundle: Uint8Array) {
  const answer = yield* Effect.flatMap(
    Effect.promise((signal) => ask(bundle, signal)),
    Effect.fromResult
  )
  const told = Array.isArray(answer) ? { relay: false, types: answer } : Object(answer)
  const list: unknown = told.types ?? told.withHidden
  const types: ReadonlyArray<unknown> = Array.isArray(list) ? list : []
  const described: DescribedBundle = {
    relay: told.relay === true,
    types: new Map(types.map(namedSchema))
  }
  return described
})

/** A type by all that its rooms store. */
const namedSchema = (entry: unknown): readonly [string, NamedSchema] => {
  const { schema: told, hidden } = Object(entry)
  const known = fromDescriptor(told)
  const schema =
    hidden === undefined ? known : fromDescriptor(storedDescriptor(describe(known), hidden))
  return [schema.type, { hash: schemaHash(schema), schema: describe(schema) }]
}

const ask = async (
  bundle: Uint8Array,
  signal: AbortSignal
): Promise<Result.Result<unknown, Refused>> => {
  const { BundleError } = await import("@atrium/sdk/bundle")
  const { describedByBundle } = await import("@atrium/sdk/bundle/BundleProcess")
  try {
    return Result.succeed(await describedByBundle(bundle, signal))
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    return Result.fail(new Refused({ code: error.code, text: error.messages.join("\n") }))
  }
}
