import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"

/** Where servers are. Moments are of the database's clock, as the clocks of runners need not agree. */
const homes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table homes (
    home integer primary key generated always as identity,
    runner text not null unique,
    session text not null,
    heard_at_ms bigint not null,
    ended_at_ms bigint
  )`
  yield* sql`create table servers (
    project_id text not null,
    nth integer not null,
    home integer not null,
    cost integer not null,
    since_ms bigint not null,
    primary key (project_id, nth)
  )`
  yield* sql`create index servers_by_home on servers (home, since_ms)`
  // 114: with more not even a room of the smallest class fits.
  yield* sql`create index servers_with_room on servers (project_id, nth) where cost <= 114`
  yield* sql`create table sent_rooms (
    project_id text not null,
    room_id text not null,
    home integer not null,
    until_ms bigint not null,
    primary key (project_id, room_id)
  )`
})

/** The homes of runners, the servers that are there, and rooms that are sent to one. */
export const serverTables: NounTables = {
  migrations: {
    "0014_homes": { oldest: 5, change: homes }
  },
  // A database in memory has one runner, which needs no homes.
  purge: [
    { table: "sent_rooms", memory: () => 0 },
    { table: "servers", memory: () => 0 }
  ]
}
