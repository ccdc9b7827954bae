import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

import type { MemoryPlayerRows, MemoryRemoval, MemorySizes } from "./MemoryDatabase.ts"

/** One step of the tables. */
export interface Migration {
  /**
   * The number of the newest migration that a program must know to run on the tables after this one.
   * The migration's own number excludes every older program; the number before it excludes none that
   * ran until now.
   */
  readonly oldest: number
  readonly change: Effect.Effect<void, SqlError, SqlClient.SqlClient>
}

/** Rows of a deleted project in a table that has a `project_id`, or is reached through one that has. */
export interface PurgedRows {
  readonly table: string
  /** The table has no `project_id`: its rows share this column with those of a table that has one. */
  readonly through?: { readonly table: string; readonly column: string }
  /** The rows can still act by themselves: they wake a room, or open a door. They go first. */
  readonly acts?: true
  /** A condition in SQL for the rows that may go now; others go at a later look. */
  readonly where?: string
  /** The same of the table in memory. */
  readonly memory: MemoryRemoval
  /** Absent = the rows do not count as the project's storage. */
  readonly stored?: StoredRows
}

/**
 * What rows count as their project's storage. Each look of the meter adds up all rows of the table, so
 * a project has a bounded number of them: a noun with many rows keeps their sum in a table of its own,
 * with each write. The table's primary key begins with `project_id`. Source: C-494.
 */
export interface StoredRows {
  /** The bytes of one row: an expression in SQL. */
  readonly bytes: string
  /** The same of the table in memory. */
  readonly memory: MemorySizes
}

/**
 * Objects of a project: all below `<folder>/<projectId>/`. They go with the project, and count as its
 * storage. Source: C-494.
 */
export interface PurgedObjects {
  readonly folder: string
}

/** Rows or objects that a deleted project leaves in one place. */
export type Purged = PurgedRows | PurgedObjects

/**
 * How the export of a player writes the value of a column: bytes in base64, a moment in ISO 8601, the
 * value of a text that is JSON.
 */
export type PlayerValue = "text" | "number" | "moment" | "bytes" | "json" | "jsonText"

/**
 * What a noun keeps of a player: rows of a table with the columns `project_id` and `player_id`, and an
 * index that begins with both. Source: C-540.
 */
export interface PlayerRows {
  readonly table: string
  /** The name of these rows in the export, `camelCase`. */
  readonly part: string
  /**
   * What the deletion of the player does with the rows: they go, or they stay under a random id that
   * is new, and the same for all nouns. Spec: Rooms rule 7; D-28.
   */
  readonly onDeletion: "erase" | "move"
  /** The columns that the export shows. It writes `written_at_ms` as `writtenAt`. */
  readonly shown: Readonly<Record<string, PlayerValue>>
  /** Columns, never null, that tell one row of a player from another; none = there is one row at most. */
  readonly order: ReadonlyArray<string>
  /** The same of the table in memory. */
  readonly memory: MemoryPlayerRows
}

/**
 * The tables of a noun. Moments are Unix milliseconds of the service's clock (`…_at_ms`), never the
 * database's: SQL calls no `now()`.
 */
export interface NounTables {
  /** By number and name: `0010_boards`. Numbers run through all nouns; one that landed never changes. */
  readonly migrations: Readonly<Record<string, Migration>>
  /** Everything of a project that the deletion of the project must remove. */
  readonly purge: ReadonlyArray<Purged>
  /** Everything of a player that the deletion and the export of the player must reach. */
  readonly players?: ReadonlyArray<PlayerRows>
}
