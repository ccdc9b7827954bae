import { readFileSync } from "node:fs"

import { Schema } from "effect"

/** One sentence of the specification that can be checked, with where it stands. */
const Requirement = Schema.Struct({
  /** `area.subject.aspect`, never reused. */
  id: Schema.String,
  /** Line of the specification, from 1. */
  line: Schema.Int,
  /** The first 16 hex digits of the SHA-256 of that line without the space around it. */
  sha: Schema.String,
  section: Schema.String,
  statement: Schema.String,
  /** `must`: the specification says it; `decided`: it is silent, we chose; `info`: nothing to assert. */
  level: Schema.Literals(["must", "decided", "info"]),
  /** A: an address and credentials; B: and fixtures; C: and hooks; D: documented. */
  tier: Schema.Literals(["A", "B", "C", "D"]),
  probe: Schema.Array(Schema.Literals(["http", "ws", "cli", "sdk"])),
  /** Hooks of the control listener, and `fixture`. */
  hooks: Schema.Array(Schema.String),
  /** What an implementation must declare to have before it is asked. */
  features: Schema.Array(Schema.String),
  decisions: Schema.Array(Schema.String),
  alsoLines: Schema.optionalKey(Schema.Array(Schema.Int)),
  /** The requirement that this one says again: one check, both lit. */
  sameAs: Schema.optionalKey(Schema.String)
})
export type Requirement = typeof Requirement.Type

/** All of them, in the order of the specification. */
export const requirements: ReadonlyArray<Requirement> = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Requirement))
)(readFileSync(new URL("requirements.json", import.meta.url), "utf8"))

const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]))

/** Throws for an id that is none: a check or row is wrong. */
export const requirementOf = (id: string): Requirement => {
  const requirement = byId.get(id)
  if (requirement === undefined) throw new Error(`no requirement ${id}`)
  return requirement
}
