import { Effect } from "effect"

import { onDatabase } from "./onDatabase.ts"

/** Lets PostgreSQL itself count every row of `objects` that is written from now on. */
export const countObjectWrites = async (databaseUrl: string): Promise<void> => {
  await onDatabase(databaseUrl, (sql) =>
    Effect.gen(function* () {
      yield* sql`create table object_writes (key text not null)`
      yield* sql`create function note_object_write() returns trigger language plpgsql as
        ${sql.literal("$$ begin insert into object_writes values (new.key); return null; end $$")}`
      yield* sql`create trigger note_object_write after insert or update on objects
        for each row execute function note_object_write()`
      return []
    })
  )
}

/** Lets every row that is written to these tables, or deleted from them, take its time. */
export const slowTables = async (
  databaseUrl: string,
  { tables, seconds }: { readonly tables: ReadonlyArray<string>; readonly seconds: number }
): Promise<void> => {
  await onDatabase(databaseUrl, (sql) =>
    Effect.gen(function* () {
      yield* sql`create function take_time() returns trigger language plpgsql as
        ${sql.literal(`$$ begin perform pg_sleep(${seconds}); return coalesce(new, old); end $$`)}`
      for (const table of tables) {
        yield* sql`create trigger take_time before insert or update or delete on ${sql(table)}
          for each row execute function take_time()`
      }
      return []
    })
  )
}

/** Rows of a table. */
export const rowsOf = async (databaseUrl: string, table: string): Promise<number> => {
  const [row] = await onDatabase<{ readonly rows: number }>(
    databaseUrl,
    (sql) => sql`select count(*)::int as rows from ${sql(table)}`
  )
  return row?.rows ?? 0
}

/** Writes so far of objects whose key has this in it. */
export const objectWrites = async (databaseUrl: string, part: string): Promise<number> => {
  const [row] = await onDatabase<{ readonly writes: number }>(
    databaseUrl,
    (sql) => sql`
      select count(*)::int as writes from object_writes where position(${part} in key) > 0`
  )
  return row?.writes ?? 0
}

/** Keys of the stored objects that have this in them, in order. */
export const objectKeys = async (
  databaseUrl: string,
  part: string
): Promise<ReadonlyArray<string>> => {
  const rows = await onDatabase<{ readonly key: string }>(
    databaseUrl,
    (sql) => sql`
      select key from objects where position(${part} in key) > 0 order by key collate "C"`
  )
  return rows.map(({ key }) => key)
}
