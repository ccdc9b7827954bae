import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { Schema } from "effect"

/**
 * A fault that an implementation can be started with, by its id. How it is put there is the
 * implementation's matter: further fields are its own.
 */
const Mutant = Schema.Struct({
  id: Schema.String,
  /** Each of these requirements must fail. */
  killedBy: Schema.NonEmptyArray(Schema.String),
  /** The fault, in a sentence. */
  why: Schema.String,
  /** Only a thorough run starts it: another mutant breaks the same kind of thing. */
  more: Schema.optionalKey(Schema.Boolean)
})
export type Mutant = typeof Mutant.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Mutant)))

/** The mutants of all `*.json` of a folder. Throws for a file of another shape, or an id twice. */
export const readMutants = (folder: string): ReadonlyArray<Mutant> => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"))
  const mutants = names
    .toSorted()
    .flatMap((name) => decode(readFileSync(join(folder, name), "utf8")))
  const ids = new Set<string>()
  for (const { id } of mutants) {
    if (ids.has(id)) throw new Error(`two mutants ${id}`)
    ids.add(id)
  }
  return mutants
}
