import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import type { Edit } from "./PatchSymbol.ts"

/** A fault of our service, which the suite must find. */
export interface OwnMutant extends Edit {
  readonly killedBy: ReadonlyArray<string>
  /** Only what the suite starts itself is broken: the tool, the adapter, a service of one's own. */
  readonly part?: "tool"
  readonly more?: boolean
  readonly why: string
}

/** Where they lie: one file of JSON for each area. */
export const mutantsFolder = join(import.meta.dirname, "mutants")

/** All of them, in the order of their files. */
export const ownMutants = (): ReadonlyArray<OwnMutant> =>
  readdirSync(mutantsFolder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .flatMap((name): ReadonlyArray<OwnMutant> => {
      // Its shape is looked at by the suite, which reads the same files.
      return JSON.parse(readFileSync(join(mutantsFolder, name), "utf8")) as ReadonlyArray<OwnMutant>
    })

/** Throws for an id that is none. */
export const ownMutantOf = (id: string): OwnMutant => {
  const mutant = ownMutants().find((candidate) => candidate.id === id)
  if (mutant === undefined) throw new Error(`no mutant ${id} in ${mutantsFolder}`)
  return mutant
}
