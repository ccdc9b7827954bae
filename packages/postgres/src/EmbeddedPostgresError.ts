import { Schema } from "effect"

/** There are no PostgreSQL binaries for this machine, or its package is not installed. */
export class BinariesMissing extends Schema.TaggedError<BinariesMissing>()("BinariesMissing", {
  message: Schema.String
}) {}

/** Another live process holds the data folder. */
export class DataFolderInUse extends Schema.TaggedError<DataFolderInUse>()("DataFolderInUse", {
  message: Schema.String,
  pid: Schema.Int
}) {}

/** The data folder cannot be made, read or written by this user. */
export class DataFolderInaccessible extends Schema.TaggedError<DataFolderInaccessible>()(
  "DataFolderInaccessible",
  { message: Schema.String }
) {}

/** The data folder holds something that this PostgreSQL cannot start from. */
export class DataFolderDamaged extends Schema.TaggedError<DataFolderDamaged>()(
  "DataFolderDamaged",
  { message: Schema.String }
) {}

/** PostgreSQL did not start, for a reason that is not the data folder's. */
export class PostgresStartFailed extends Schema.TaggedError<PostgresStartFailed>()(
  "PostgresStartFailed",
  { message: Schema.String }
) {}

/** Every way in which the embedded PostgreSQL refuses to start; `message` is one sentence for the operator. */
export type EmbeddedPostgresError =
  | BinariesMissing
  | DataFolderInUse
  | DataFolderInaccessible
  | DataFolderDamaged
  | PostgresStartFailed

/** The text of a failure that Node threw at us. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
