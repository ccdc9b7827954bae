import { Schema } from "effect"

/** The part of a breaking change that a developer has to know before deciding on a way. */
const details = {
  /** The room type with the first difference. */
  type: Schema.String,
  /** The first difference, uncut. */
  difference: Schema.String,
  /** Rooms of all types with a difference that have stored state. */
  rooms: Schema.Int,
  /** The save generations of those rooms. */
  saves: Schema.Int
}

/** The fields of {@link SchemaBreaking}. */
export const breakingFields = { message: Schema.String, ...details }

/**
 * A deployment whose schema cannot read the state of the version before it, without a migration and without
 * `preRelease`. 409. Spec: Versioning; C-09, C-700.
 */
export class SchemaBreaking extends Schema.TaggedError<SchemaBreaking>()(
  "E_SCHEMA_BREAKING",
  breakingFields,
  { httpApiStatus: 409 }
) {}

/** The fields of {@link RehearsalFailed}. */
export const rehearsalFields = {
  message: Schema.String,
  rehearsalId: Schema.String,
  /** The first of the rooms that fail. */
  roomId: Schema.String,
  /** Rooms that fail. */
  rooms: Schema.Int
}

/**
 * A deployment whose migrations do not lead every stored state on; the message has the first error. 409.
 * Source: C-713.
 */
export class RehearsalFailed extends Schema.TaggedError<RehearsalFailed>()(
  "E_REHEARSAL_FAILED",
  rehearsalFields,
  { httpApiStatus: 409 }
) {}
