import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { deviceTable, endedTable, linkCodeTable } from "./PlayerAccountsInMemory.ts"

const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table player_devices (
    project_id text not null references projects,
    identity_id text not null,
    player_id text not null,
    device_id text not null,
    label text,
    secret_hash bytea,
    linked_at_ms bigint not null,
    primary key (project_id, identity_id)
  )`
  yield* sql`create index player_devices_by_player on player_devices (project_id, player_id)`
  yield* sql`create unique index player_devices_by_secret
    on player_devices (project_id, secret_hash) where secret_hash is not null`
  yield* sql`create table link_codes (
    project_id text not null references projects,
    identity_id text not null,
    player_id text not null,
    code_hash bytea not null,
    expires_at_ms bigint not null,
    primary key (project_id, identity_id)
  )`
  yield* sql`create unique index link_codes_by_code on link_codes (project_id, code_hash)`
  yield* sql`create index link_codes_by_player on link_codes (project_id, player_id)`
  yield* sql`create index link_codes_by_end on link_codes (project_id, expires_at_ms)`
  yield* sql`create table ended_identities (
    project_id text not null references projects,
    identity_id text not null,
    ended_at_ms bigint not null,
    player_deleted boolean not null,
    primary key (project_id, identity_id)
  )`
  yield* sql`create index ended_identities_by_end on ended_identities (project_id, ended_at_ms)`
})

/** How many devices each project has, kept by triggers: a count of all with each new one would be slow. */
const deviceCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table player_device_counts (
    project_id text primary key references projects,
    devices bigint not null
  )`
  yield* sql`create function count_player_devices() returns trigger language plpgsql as $$
    begin
      insert into player_device_counts as known (project_id, devices)
        select project_id, case tg_op when 'INSERT' then count(*) else 0 - count(*) end
        from changed group by project_id order by project_id
        on conflict (project_id) do update set devices = known.devices + excluded.devices;
      return null;
    end $$`
  yield* sql`create trigger player_devices_added after insert on player_devices
    referencing new table as changed for each statement execute function count_player_devices()`
  yield* sql`create trigger player_devices_removed after delete on player_devices
    referencing old table as changed for each statement execute function count_player_devices()`
  yield* sql`insert into player_device_counts
    select project_id, count(*) from player_devices group by project_id`
})

/** Devices of players' accounts, the codes that link them, and the identities that ended lately. */
export const accountTables: NounTables = {
  migrations: {
    "0021_player_accounts": { oldest: 5, change: accounts },
    "0029_device_counts": { oldest: 5, change: deviceCounts }
  },
  purge: [
    { table: "player_devices", memory: deviceTable.removal(({ projectId }) => projectId) },
    // In memory the devices are counted.
    { table: "player_device_counts", memory: () => 0 },
    { table: "link_codes", memory: linkCodeTable.removal(({ projectId }) => projectId) },
    { table: "ended_identities", memory: endedTable.removal(({ projectId }) => projectId) }
  ],
  players: [
    {
      table: "player_devices",
      part: "devices",
      onDeletion: "erase",
      shown: { device_id: "text", identity_id: "text", label: "text", linked_at_ms: "moment" },
      order: ["identity_id"],
      memory: deviceTable.playerRows({
        player: ({ projectId, playerId }) => ({ projectId, playerId }),
        columns: ({ deviceId, identityId, label, linkedAtMs }) => ({
          device_id: deviceId,
          identity_id: identityId,
          label,
          linked_at_ms: linkedAtMs
        }),
        moved: (row, { key, playerId }) => [key, { ...row, playerId }]
      })
    },
    {
      table: "link_codes",
      part: "linkCodes",
      onDeletion: "erase",
      shown: { identity_id: "text", expires_at_ms: "moment" },
      order: ["identity_id"],
      memory: linkCodeTable.playerRows({
        player: ({ projectId, playerId }) => ({ projectId, playerId }),
        columns: ({ identityId, expiresAtMs }) => ({
          identity_id: identityId,
          expires_at_ms: expiresAtMs
        }),
        moved: (row, { key, playerId }) => [key, { ...row, playerId }]
      })
    }
  ]
}
