import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"

/**
 * The bytes of a row may be in an S3, under the name `blob`. A name that a row has no more is garbage, unless another row
 * has it. The service's clock stamps garbage when a sweep sees it first.
 */
const objectsElsewhere = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table objects
    alter column bytes drop not null,
    add column blob text,
    add column blob_bytes integer,
    add column blob_sha256 bytea,
    add constraint objects_in_one_place check (
      num_nulls(blob, blob_bytes, blob_sha256) = case when bytes is null then 0 else 3 end)`
  yield* sql`create index objects_by_blob on objects (blob) where blob is not null`
  yield* sql`create table object_garbage (
    id bigint generated always as identity primary key,
    blob text not null,
    dropped_at_ms bigint
  )`
  yield* sql`create index object_garbage_by_time on object_garbage (dropped_at_ms, id)`
  yield* sql`create function drop_object_blob() returns trigger language plpgsql as $$
    begin
      insert into object_garbage (blob) values (old.blob);
      return null;
    end $$`
  yield* sql`create trigger object_deleted after delete on objects for each row
    when (old.blob is not null) execute function drop_object_blob()`
  yield* sql`create trigger object_replaced after update on objects for each row
    when (old.blob is not null and old.blob is distinct from new.blob)
    execute function drop_object_blob()`
  yield* sql`create table object_place (
    only_row boolean primary key default true check (only_row),
    place text not null,
    mark text,
    moving boolean not null,
    after_key text,
    pass_objects bigint not null,
    moved_objects bigint not null,
    moved_bytes bigint not null,
    failed_objects bigint not null,
    ordered_at_ms bigint,
    ended_at_ms bigint
  )`
  yield* sql`insert into object_place
    (place, moving, pass_objects, moved_objects, moved_bytes, failed_objects)
    values ('postgres', false, 0, 0, 0, 0)`
})

/** Where the bytes of objects are, and what no row needs any more. */
export const objectTables: NounTables = {
  migrations: {
    // A program that does not know of it runs on as long as no object is in an S3.
    "0015_objects_elsewhere": { oldest: 5, change: objectsElsewhere }
  },
  purge: []
}
