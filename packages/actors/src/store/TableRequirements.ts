import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

import packageJson from "../../package.json" with { type: "json" }

/** A migration that the database has and this program does not know. */
export interface UnknownMigration {
  readonly migrationId: number
  /** The number of the newest migration that a program must know to run on these tables. */
  readonly oldest: number
  /** The version of the program that migrated. */
  readonly madeBy: string
}

/** The database's tables ask for a newer program. The message is one sentence for the operator. */
class ProgramTooOld extends Schema.TaggedError<ProgramTooOld>()("ProgramTooOld", {
  message: Schema.String
}) {}

/**
 * Finds the migration that excludes a program.
 *
 * @param known the number of the newest migration that the program knows
 */
export const excludedBy = (
  known: number,
  unknown: ReadonlyArray<UnknownMigration>
): UnknownMigration | null =>
  unknown
    .filter(({ oldest }) => oldest > known)
    .toSorted((a, b) => b.migrationId - a.migrationId)[0] ?? null

/** Writes down which programs may run on the tables of a migration, in the migration's transaction. */
export const recordRequirement = Effect.fnUntraced(function* (migrationId: number, oldest: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into migration_requirements (migration_id, oldest, made_by)
    values (${migrationId}, ${oldest}, ${packageJson.version})`
})

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      migration_id: Schema.Int,
      oldest: Schema.NullOr(Schema.Int),
      made_by: Schema.NullOr(Schema.String)
    })
  )
)

/** Refuses a program that is too old for the tables as they are now. */
export const requireKnownTables = Effect.fnUntraced(function* (known: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select m.migration_id, r.oldest, r.made_by
    from effect_sql_migrations m left join migration_requirements r using (migration_id)
    where m.migration_id > ${known}`.pipe(Effect.flatMap(decodeRows))
  const unknown = rows.map((row) => ({
    migrationId: row.migration_id,
    // A migration that says nothing may have changed anything.
    oldest: row.oldest ?? row.migration_id,
    madeBy: row.made_by ?? "of an unknown version"
  }))
  const excluding = excludedBy(known, unknown)
  if (excluding === null) return
  const { migrationId, oldest, madeBy } = excluding
  return yield* new ProgramTooOld({
    message:
      `Atrium ${madeBy} brought this database to migration ${migrationId}, which needs a program that ` +
      `knows migration ${oldest}; this Atrium ${packageJson.version} knows ${known}: start a newer Atrium.`
  })
})
