import type { DeploymentRead } from "@atrium/domain/deployments/DeploymentsApi"
import { breakingDifference, fromDescriptor } from "@atrium/sdk/schema"

import { errorText } from "../text/ErrorText.ts"

type Schemas = DeploymentRead["schemas"]

/** What a version does to the schema of a room type. */
export interface SchemaChange {
  readonly type: string
  readonly kind: "new" | "gone" | "same" | "wider" | "breaking"
  /** The first difference over which stored state cannot move without a migration; `null` = every state can move. */
  readonly difference: string | null
}

/** The room types of two versions, those of the newer one first. A descriptor that cannot be read is told as such. */
export const schemaChanges = (old: Schemas, now: Schemas): ReadonlyArray<SchemaChange> => {
  const before = new Map(old.map((one) => [one.type, one]))
  const changes = now.map(({ type, hash, schema }) => {
    const was = before.get(type)
    before.delete(type)
    if (was === undefined) return plain(type, "new")
    return was.hash === hash ? plain(type, "same") : changed(type, was.schema, schema)
  })
  return [...changes, ...[...before.keys()].map((type) => plain(type, "gone"))]
}

const plain = (type: string, kind: SchemaChange["kind"]): SchemaChange => ({
  type,
  kind,
  difference: null
})

const changed = (type: string, old: unknown, now: unknown): SchemaChange => {
  try {
    const difference = breakingDifference(fromDescriptor(old), fromDescriptor(now))
    return { type, kind: difference === null ? "wider" : "breaking", difference }
  } catch (error) {
    return {
      type,
      kind: "breaking",
      difference: `this page cannot read the schema: ${errorText(error)}`
    }
  }
}

/** A change in words. */
export const changeText = ({ kind, difference }: SchemaChange): string => {
  switch (kind) {
    case "new":
      return "new in this version"
    case "gone":
      return "not in this version"
    case "same":
      return "the same schema"
    case "wider":
      return "wider: stored state fits as it is"
    case "breaking":
      return difference ?? "another schema"
  }
}
