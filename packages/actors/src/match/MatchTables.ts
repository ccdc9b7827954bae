import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { partyTable, ticketRows, ticketTable } from "./MemoryMatch.ts"

const match = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table match_tickets (
    ticket_id text primary key,
    project_id text not null references projects,
    queue text not null,
    player_id text not null,
    rating double precision not null,
    party jsonb,
    queued_at_ms bigint not null,
    expires_at_ms bigint not null,
    status text not null,
    room_id text,
    team integer,
    ended_at_ms bigint
  )`
  // A player has one waiting ticket, even while two actors hold the queue.
  yield* sql`create unique index match_tickets_waiting
    on match_tickets (project_id, queue, player_id) where status = 'waiting'`
  yield* sql`create index match_tickets_by_room on match_tickets (project_id, queue, room_id)
    where status = 'matched'`
  yield* sql`create index match_tickets_by_player on match_tickets (project_id, player_id)`
  yield* sql`create index match_tickets_by_end on match_tickets (expires_at_ms)`
  yield* sql`create table match_parties (
    project_id text not null references projects,
    code text not null,
    queue text not null,
    size integer not null,
    expires_at_ms bigint not null,
    primary key (project_id, code)
  )`
  yield* sql`create index match_parties_by_end on match_parties (expires_at_ms)`
  yield* sql`alter table rooms add column backfill_seats integer not null default 0`
})

/** Tickets and parties of quick match, and the seats that rooms offer. */
export const matchTables: NounTables = {
  migrations: { "0026_match": { oldest: 5, change: match } },
  purge: [
    { table: "match_tickets", memory: ticketTable.removal(({ projectId }) => projectId) },
    { table: "match_parties", memory: partyTable.removal(({ projectId }) => projectId) }
  ],
  players: [
    {
      table: "match_tickets",
      part: "matchTickets",
      onDeletion: "erase",
      shown: { queue: "text", status: "text", room_id: "text", queued_at_ms: "moment" },
      order: ["ticket_id"],
      memory: ticketRows
    }
  ]
}
