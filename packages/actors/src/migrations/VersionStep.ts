import { Schema } from "effect"

/** What becomes of the rooms that are up on an older version. Source: C-703. */
export const Strategies = ["migrate", "drain"] as const
export type Strategy = (typeof Strategies)[number]

/**
 * One change by the code of a migration: from what one version declares to what another one does. The
 * migration came with the newer of both, and goes forth or back.
 */
export const Hop = Schema.Struct({ from: Schema.Int, to: Schema.Int })
export type Hop = typeof Hop.Type

/** The hops of one version for its rooms, by type, and for the fields of its players; in their order. */
const hopFields = {
  rooms: Schema.Record(Schema.String, Schema.Array(Hop)),
  players: Schema.Array(Hop)
}

/**
 * How what is stored comes from the version before to a version. A version without a step takes over every
 * state by name, and its rooms move at once.
 */
export const VersionStep = Schema.Struct({
  /** `drain`: rooms that are up on an older version stay there until they are empty. */
  strategy: Schema.Literals(Strategies),
  /** Every room of an older version starts anew. Spec: Project file, preRelease. */
  discards: Schema.Boolean,
  /** A room whose state cannot be led on is closed; else it plays on with its old code. Source: C-990. */
  quarantine: Schema.optionalKey(Schema.Literal(true)),
  ...hopFields
})
export type VersionStep = typeof VersionStep.Type

/** The changes that the migrations of a version's bundle can make; `type` = `null`: the fields of players. */
export const Carried = Schema.Struct({
  type: Schema.NullOr(Schema.String),
  from: Schema.String,
  /** `null` = the room type is removed. */
  to: Schema.NullOr(Schema.String),
  /** It has code for the way there; else the state goes by name. */
  code: Schema.Boolean,
  /** It has code for the way back. */
  back: Schema.Boolean
})
export type Carried = typeof Carried.Type

/** The step of a version of a project. */
export interface StepOfVersion {
  readonly version: number
  readonly step: VersionStep
}
