import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { alarmTable } from "./AlarmStore.ts"
import { isUp, roomTable } from "./MemoryRoomTable.ts"
import { playerRows, playerTable } from "./PlayerStore.ts"

const rooms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create sequence room_epochs`
  yield* sql`create table rooms (
    project_id text not null,
    room_id text not null,
    state jsonb not null,
    status text not null,
    type text not null,
    class text not null,
    epoch bigint not null,
    slot integer,
    clients integer not null,
    max_clients integer not null,
    is_public boolean not null,
    started boolean not null,
    retention_override text,
    last_seen_ms bigint not null,
    primary key (project_id, room_id)
  )`
  yield* sql`create table objects (
    key text primary key,
    bytes bytea not null,
    manifest jsonb not null,
    stored_at_ms bigint not null
  )`
  // Everything in it is compressed already: a second attempt by PostgreSQL only costs time.
  yield* sql`alter table objects alter column bytes set storage external`
  // A prefix of keys is one range of this index whatever the database's collation is.
  yield* sql`create index objects_by_prefix on objects (key text_pattern_ops)`
  yield* sql`create table alarms (
    project_id text not null,
    room_id text not null,
    due_at_ms bigint not null,
    primary key (project_id, room_id)
  )`
  yield* sql`create index alarms_by_due on alarms (due_at_ms)`
  yield* sql`create table players (
    project_id text not null,
    player_id text not null,
    fields bytea not null,
    written_at_ms bigint not null,
    primary key (project_id, player_id)
  )`
})

const roomsEntered = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table rooms add column entered boolean not null default true`
})

const lobbyMetadata = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table rooms add column lobby_metadata text`
})

const roomRevision = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table rooms add column revision bigint not null default 0`
})

const quarantined = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table rooms add column quarantined integer`
  yield* sql`create index rooms_quarantined on rooms (project_id) where quarantined is not null`
})

const roomBranches = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table rooms add column branch jsonb`
})

/** Rooms, their alarms, their objects, and the fields of players. */
export const roomTables: NounTables = {
  migrations: {
    "0002_rooms": { oldest: 2, change: rooms },
    "0009_rooms_entered": { oldest: 5, change: roomsEntered },
    "0022_lobby_metadata": { oldest: 5, change: lobbyMetadata },
    // A program of before writes a state without counting: then a late save of its own can still arrive.
    "0030_room_revision": { oldest: 5, change: roomRevision },
    "0035_rooms_quarantined": { oldest: 5, change: quarantined },
    "0036_room_branches": { oldest: 5, change: roomBranches }
  },
  purge: [
    { table: "alarms", acts: true, memory: alarmTable.removal(({ key }) => key.projectId) },
    {
      table: "rooms",
      where: "status in ('hibernated', 'closed')",
      memory: roomTable.removal((row) => (isUp(row) ? null : row.key.projectId))
    },
    { table: "players", memory: playerTable.removal(({ projectId }) => projectId) },
    { folder: "rooms" }
  ],
  players: [
    {
      table: "players",
      part: "fields",
      onDeletion: "erase",
      shown: { fields: "bytes", written_at_ms: "moment" },
      order: [],
      memory: playerRows
    }
  ]
}
