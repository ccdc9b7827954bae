import { existsSync, readFileSync, readdirSync } from "node:fs"

import { Schema } from "effect"

const folder = new URL("../../sets/", import.meta.url)

const Frozen = Schema.fromJsonString(Schema.Struct({ ids: Schema.Array(Schema.String) }))

/** Names of the sets that this version of the suite has, oldest first. */
export const frozenSets = (): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.slice(0, -".json".length))
        .toSorted()
    : []

/** The ids that count in a frozen set. Throws when there is none of that name. */
export const readFrozenSet = (name: string): ReadonlySet<string> => {
  if (!frozenSets().includes(name)) {
    throw new Error(`there is no set ${name}; there are: ${frozenSets().join(", ") || "none"}`)
  }
  const text = readFileSync(new URL(`${name}.json`, folder), "utf8")
  return new Set(Schema.decodeSync(Frozen)(text).ids)
}
