import { ObjectStore } from "@atrium/actors/objects/ObjectStore"
import { Effect, Exit, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"

import { HookRefused, type Hooks, verb } from "../control/Hook.ts"

const Listed = Schema.Struct({
  project: Schema.NonEmptyString,
  room: Schema.optionalKey(Schema.NullOr(Schema.NonEmptyString))
})

/** The stored state, read from the store itself and from nothing in between. */
export const hooks = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const search = yield* makeSearch
  const stall = yield* makeStall
  const verbs: Hooks = {
    "storage/list": verb(Listed, ({ project, room }) => {
      const prefixes =
        typeof room === "string"
          ? [`rooms/${project}/${room}/`]
          : [`rooms/${project}/`, `bundles/${project}/`]
      return Effect.map(Effect.forEach(prefixes, objects.list), (listings) => ({
        objects: listings.flat().map(({ key, sizeBytes, storedAtMs }) => ({
          key,
          bytes: sizeBytes,
          storedAtMs
        }))
      }))
    }),
    "storage/put": verb(
      Schema.Struct({ key: Schema.NonEmptyString, base64: Schema.Uint8ArrayFromBase64 }),
      ({ key, base64 }) => Effect.as(objects.put({ key, bytes: base64, manifest: {} }), {})
    ),
    "storage/remove": verb(Schema.Struct({ key: Schema.NonEmptyString }), ({ key }) =>
      Effect.gen(function* () {
        const found = (yield* objects.list(key)).some((entry) => entry.key === key)
        if (!found) return yield* new HookRefused({ message: "key: nothing is stored there" })
        yield* objects.delete([key])
        return {}
      })
    ),
    "storage/search": verb(Schema.Struct({ text: Schema.NonEmptyString }), ({ text }) =>
      Effect.map(search(text), (found) => ({ found }))
    ),
    "storage/stall": verb(Schema.Struct({ stalled: Schema.Boolean }), ({ stalled }) =>
      Effect.as(stall(stalled), { stalled })
    )
  }
  return verbs
})

interface StoredColumn {
  readonly table: string
  readonly name: string
  readonly bytes: boolean
}

/**
 * Counts rows of any table that contain a text, as it is or in hex, or the bytes of which it is the
 * hex. Bytes are looked through as they are: bundles in hex would take seconds.
 */
const makeSearch = Effect.map(
  SqlClient.SqlClient,
  (sql) => (text: string) =>
    Effect.gen(function* () {
      const columns = yield* sql<StoredColumn>`
        select table_name as table, column_name as name, data_type = 'bytea' as bytes
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = current_schema() and table_type = 'BASE TABLE'`
      const bytes = Buffer.from(text)
      const hex = bytes.toString("hex")
      const hexOf = /^(?:[0-9a-f]{2})+$/.test(text) ? Buffer.from(text, "hex") : bytes
      const holds = (column: StoredColumn) =>
        column.bytes
          ? sql`coalesce(position(${bytes}::bytea in ${sql(column.name)}) > 0
              or position(${hexOf}::bytea in ${sql(column.name)}) > 0, false)`
          : sql`coalesce(strpos(${sql(column.name)}::text, ${text}) > 0
              or strpos(${sql(column.name)}::text, ${hex}) > 0, false)`
      let found = 0
      for (const [table, its] of Map.groupBy(columns, (column) => column.table)) {
        const rows = yield* sql<{ readonly rows: bigint }>`
          select count(*) as rows from ${sql(table)} where ${sql.or(its.map(holds))}`
        found += Number(rows[0]?.rows ?? 0)
      }
      return found
    }).pipe(Effect.orDie)
)

/** Holds a lock on the table of objects: a write waits for it, a read does not. */
const makeStall = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const outer = yield* Effect.scope
  let held: Scope.Closeable | null = null
  return Effect.fnUntraced(function* (stalled: boolean) {
    if (stalled === (held !== null)) return
    if (held !== null) {
      const ended = held
      held = null
      return yield* Scope.close(ended, Exit.void)
    }
    const scope = yield* Scope.fork(outer)
    held = scope
    const connection = yield* Effect.orDie(Scope.provide(sql.reserve, scope))
    const run = (statement: string) =>
      Effect.orDie(connection.executeUnprepared(statement, [], undefined))
    yield* run("begin")
    // The end of the service rolls back, too: it must not hang on the lock.
    yield* Scope.addFinalizer(scope, Effect.ignore(run("rollback")))
    yield* run("lock table objects in exclusive mode")
  })
})
