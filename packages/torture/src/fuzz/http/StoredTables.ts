import { createHash } from "node:crypto"

import { onDatabase } from "@atrium/api/testing/onDatabase"

/** Columns that the service updates by itself, such as the time of the last use. */
const volatile: Readonly<Record<string, ReadonlyArray<string>>> = {
  login_tokens: ["last_used_ms", "expires_at_ms"],
  api_keys: ["last_used_ms"],
  device_logins: ["polled_at_ms"],
  // A ticket expires by itself.
  match_tickets: ["status", "ended_at_ms"],
  rooms: ["last_seen_ms"],
  runners: ["heard_at_ms", "free_bytes", "rooms", "clients", "load"]
}

/** Tables that the service fills by itself, as time passes and bytes leave. */
const metered: ReadonlySet<string> = new Set(["meter_days", "meter_uses", "meter_reports"])

/** Each row of each table as text, by table; rows of the project that goes on playing are left out. */
export type StoredTables = ReadonlyMap<string, ReadonlyArray<string>>

const RowChars = 300

const rowText = (row: string): string =>
  row.length <= RowChars
    ? row
    : `${row.slice(0, RowChars)}… ${createHash("sha256").update(row).digest("hex")}`

/** Everything that a service has stored, read past it. */
export const storedTables = async (databaseUrl: string, playing: string): Promise<StoredTables> => {
  const tables = await onDatabase<{ name: string }>(
    databaseUrl,
    (sql) => sql`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`
  )
  const stored = new Map<string, ReadonlyArray<string>>()
  for (const { name } of tables.filter((table) => !metered.has(table.name))) {
    const rows = await onDatabase<{ row: string }>(
      databaseUrl,
      (sql) =>
        sql`select (to_jsonb(t) - ${volatile[name] ?? []}::text[])::text as row from ${sql(name)} t`
    )
    const kept = rows.map(({ row }) => row).filter((row) => !isOf(row, playing))
    stored.set(name, kept.map(rowText).toSorted())
  }
  return stored
}

/** Rows and objects of a project's rooms and players; the project's own row counts. */
const isOf = (row: string, project: string): boolean =>
  row.includes(`rooms/${project}/`) ||
  (row.includes(`"project_id": "${project}"`) && /"(?:room|player)_id":/.test(row))

/** Rows that have come, and rows that have gone. */
export const changesBetween = (before: StoredTables, after: StoredTables): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((table) => {
    const was = new Set(before.get(table))
    const is = new Set(after.get(table))
    return [
      ...[...is].filter((row) => !was.has(row)).map((row) => `${table} has: ${row}`),
      ...[...was].filter((row) => !is.has(row)).map((row) => `${table} had: ${row}`)
    ]
  })
