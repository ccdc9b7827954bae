import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { kvBytes, kvTable, rowKey } from "./KvStore.ts"

const kv = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Keys are listed in the order of their bytes, which the database's collation may not be.
  yield* sql`create table player_kv (
    project_id text not null,
    player_id text collate "C" not null,
    key text collate "C" not null,
    value text not null,
    version bigint not null,
    written_at_ms bigint not null,
    primary key (project_id, player_id, key)
  )`
  // A write locks the part of its player: writes of other parts of the project run beside it.
  yield* sql`create table player_kv_sums (
    project_id text not null,
    part smallint not null,
    entries bigint not null,
    bytes bigint not null,
    primary key (project_id, part)
  )`
  yield* sql`create sequence player_kv_versions`
  yield* lockPart
  yield* setEntry
  yield* removeEntry
  yield* uncountRemoved
})

/**
 * Takes the part of a player, and the entry if there is one, to the end of the transaction. A deletion of
 * all entries of a player takes entries first and then the part; therefore nothing waits here for an entry
 * while it has the part. @returns the number of the part
 */
const lockPart = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
  create function player_kv_lock(its_project text, its_player text, its_key text) returns smallint
  language plpgsql as $$
  declare
    its_part constant smallint := hashtextextended(its_player, 0) & 15;
  begin
    loop
      begin
        perform 1 from player_kv
          where project_id = its_project and player_id = its_player and key = its_key for update;
        perform 1 from player_kv_sums where project_id = its_project and part = its_part for update;
        if not found then
          insert into player_kv_sums values (its_project, its_part, 0, 0) on conflict do nothing;
          perform 1 from player_kv_sums
            where project_id = its_project and part = its_part for update;
        end if;
        perform 1 from player_kv
          where project_id = its_project and player_id = its_player and key = its_key
          for update nowait;
        return its_part;
      exception when lock_not_available then
        -- A deletion has the entry: what was taken is given back, and its end is waited for.
      end;
    end loop;
  end $$`
)

/**
 * Writes an entry, and counts it. Every statement after the lock sees what the writes before it have
 * stored. Near the project's last free row new keys of all parts come one by one.
 */
const setEntry = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
  create function player_kv_set(
    its_project text, its_player text, its_key text, its_value text, expected bigint, now_ms bigint,
    most_keys integer, most_rows bigint, alone_below bigint,
    out outcome text, out version bigint
  ) language plpgsql as $$
  declare
    its_part constant smallint := player_kv_lock(its_project, its_player, its_key);
    its_bytes constant bigint := octet_length(its_value);
    stored player_kv%rowtype;
    free bigint;
  begin
    select * into stored from player_kv kv
      where kv.project_id = its_project and kv.player_id = its_player and kv.key = its_key;
    if expected <> coalesce(stored.version, 0) then
      outcome := 'Conflict';
      return;
    end if;
    if stored.version is null then
      if (select count(*) from player_kv kv
          where kv.project_id = its_project and kv.player_id = its_player) >= most_keys then
        outcome := 'KeysFull';
        return;
      end if;
      select most_rows - sum(entries) into free from player_kv_sums where project_id = its_project;
      if free < alone_below then
        perform pg_advisory_xact_lock(hashtextextended('player_kv/' || its_project, 0));
        select most_rows - sum(entries) into free from player_kv_sums where project_id = its_project;
      end if;
      if free < 1 then
        outcome := 'RowsFull';
        return;
      end if;
    end if;
    version := nextval('player_kv_versions');
    if stored.version is null then
      insert into player_kv values (its_project, its_player, its_key, its_value, version, now_ms);
      update player_kv_sums set entries = entries + 1,
          bytes = bytes + octet_length(its_player) + octet_length(its_key) + its_bytes
        where project_id = its_project and part = its_part;
    else
      update player_kv kv set value = its_value, version = player_kv_set.version,
          written_at_ms = now_ms
        where kv.project_id = its_project and kv.player_id = its_player and kv.key = its_key;
      if its_bytes <> octet_length(stored.value) then
        update player_kv_sums set bytes = bytes + its_bytes - octet_length(stored.value)
          where project_id = its_project and part = its_part;
      end if;
    end if;
  end $$`
)

const removeEntry = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
  create function player_kv_remove(its_project text, its_player text, its_key text) returns boolean
  language plpgsql as $$
  begin
    perform player_kv_lock(its_project, its_player, its_key);
    delete from player_kv
      where project_id = its_project and player_id = its_player and key = its_key;
    return found;
  end $$`
)

/** Removed entries no longer count, also those that the purge of a project or the deletion of a player removes. */
const uncountRemoved = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create function player_kv_uncount() returns trigger language plpgsql as $$
    begin
      update player_kv_sums sums
        set entries = sums.entries - gone.entries, bytes = sums.bytes - gone.bytes
      from (
        select project_id, hashtextextended(player_id, 0) & 15 as part, count(*) as entries,
          sum(octet_length(player_id) + octet_length(key) + octet_length(value)) as bytes
        from removed group by 1, 2
      ) gone
      where sums.project_id = gone.project_id and sums.part = gone.part;
      return null;
    end $$`
  yield* sql`create trigger player_kv_removed after delete on player_kv
    referencing old table as removed for each statement execute function player_kv_uncount()`
})

/** The KV of players. */
export const kvTables: NounTables = {
  migrations: {
    "0023_kv": { oldest: 5, change: kv }
  },
  purge: [
    { table: "player_kv", memory: kvTable.removal(({ projectId }) => projectId) },
    {
      table: "player_kv_sums",
      memory: () => 0,
      stored: {
        bytes: "bytes",
        memory: kvTable.sizes((row) => ({ projectId: row.projectId, bytes: kvBytes(row) }))
      }
    }
  ],
  players: [
    {
      table: "player_kv",
      part: "kv",
      onDeletion: "erase",
      shown: { key: "text", value: "jsonText", version: "number", written_at_ms: "moment" },
      order: ["key"],
      memory: kvTable.playerRows({
        player: ({ projectId, playerId }) => ({ projectId, playerId }),
        columns: ({ key, value, version, writtenAtMs }) => ({
          key,
          value,
          version,
          written_at_ms: writtenAtMs
        }),
        moved: (row, { playerId }) => [rowKey({ ...row, playerId }), { ...row, playerId }]
      })
    }
  ]
}
