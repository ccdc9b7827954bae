import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { MemoryTable } from "../store/MemoryDatabase.ts"
import type { NounTables } from "../store/NounTables.ts"
import { ratingCountTable, ratingRows, ratingTable, reportTable } from "./MemoryRatings.ts"

// Player ids sort by their bytes, so that every runner locks the rows of a report in one order.
const ratings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table ratings (
    project_id text not null,
    queue text not null,
    player_id text collate "C" not null,
    rating double precision not null,
    deviation double precision not null,
    rated_at_ms bigint not null,
    primary key (project_id, player_id, queue)
  )`
  yield* sql`create table rating_counts (
    project_id text primary key,
    ratings integer not null
  )`
  yield* sql`create table rating_reports (
    project_id text not null,
    room_id text not null,
    report_id text not null,
    at_ms bigint not null,
    primary key (project_id, room_id, report_id)
  )`
  yield* sql`create index rating_reports_by_age on rating_reports (at_ms)`
})

/** What a rating counts as storage, however long the id of its player is. Source: C-596. */
const ratingBytes = 100

const byKey = <Row>(table: MemoryTable<Row>) => table.removal((_, key) => key.split("/")[0] ?? null)

/** Skill ratings by project, queue and player, and the ids of the reports that were counted. */
export const ratingTables: NounTables = {
  migrations: { "0025_ratings": { oldest: 5, change: ratings } },
  purge: [
    { table: "ratings", memory: byKey(ratingTable) },
    {
      table: "rating_counts",
      memory: byKey(ratingCountTable),
      stored: {
        bytes: `ratings * ${ratingBytes}`,
        memory: ratingCountTable.sizes((ratings, projectId) => ({
          projectId,
          bytes: ratings * ratingBytes
        }))
      }
    },
    { table: "rating_reports", memory: byKey(reportTable) }
  ],
  players: [
    {
      table: "ratings",
      part: "ratings",
      onDeletion: "move",
      shown: { queue: "text", rating: "number", deviation: "number", rated_at_ms: "moment" },
      order: ["queue"],
      memory: ratingRows
    }
  ]
}
