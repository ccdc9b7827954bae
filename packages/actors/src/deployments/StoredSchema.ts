import { describe, fromDescriptor, type SchemaDescriptor } from "@atrium/wire/schema"
import { storedDescriptor } from "@atrium/wire/schema/HiddenState"

import type { DeployedType } from "./DeployedType.ts"

/** A schema that is proven to be one, and its name. */
export interface ProvenSchema {
  /** Its keys in the order that the hash is made of. */
  readonly descriptor: SchemaDescriptor
  readonly hash: string
}

/** What clients know of a room type. */
export const publicSchema = (deployed: DeployedType): ProvenSchema => ({
  descriptor: proven(publicOnes, deployed, () => deployed.schema),
  hash: deployed.schemaHash
})

/**
 * All that rooms of a type store: snapshots and saves are of this schema, and what is judged or carried over between
 * versions. It is the public one, with the hidden state after it. No client gets it. Source: C-721.
 */
export const storedSchema = (deployed: DeployedType): ProvenSchema => {
  const { hidden } = deployed
  if (hidden === undefined) return publicSchema(deployed)
  return {
    descriptor: proven(storedOnes, deployed, () =>
      storedDescriptor(publicSchema(deployed).descriptor, hidden)
    ),
    hash: hidden.schemaHash
  }
}

/**
 * Whether rooms of a version read what those of another have stored as it is. State of one schema is not the same where
 * a part of it is hidden in one of them alone: only snapshots with hidden state name their schema.
 */
export const storesAlike = (one: DeployedType, other: DeployedType): boolean =>
  storedSchema(one).hash === storedSchema(other).hash &&
  (one.hidden === undefined) === (other.hidden === undefined)

const publicOnes = new WeakMap<DeployedType, SchemaDescriptor>()
const storedOnes = new WeakMap<DeployedType, SchemaDescriptor>()

/** Once per row that was read: rooms wake often, and the proof takes longer than reading their state. */
const proven = (
  known: WeakMap<DeployedType, SchemaDescriptor>,
  deployed: DeployedType,
  json: () => unknown
): SchemaDescriptor => {
  const schema = known.get(deployed) ?? describe(fromDescriptor(json()))
  known.set(deployed, schema)
  return schema
}
