import { randomBytes } from "node:crypto"
import { createInterface } from "node:readline"

import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

// The reference for snapshots: what storing costs with nothing around it. One statement upserts the
// snapshot and adds a save generation, so many of them at once. Arguments: address of the database.
// Each line on standard input, `writers seconds bytes`, is answered with the count of stored states.

const [url = ""] = process.argv.slice(2)

const runtime = ManagedRuntime.make(
  PgClient.layer({ url: Redacted.make(url), maxConnections: 20 }).pipe(
    Layer.provide(Reactivity.layer)
  )
)

const prepare = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`create table if not exists bench_objects (
    key text primary key,
    bytes bytea not null,
    manifest jsonb not null,
    stored_at_ms bigint not null
  )`
  yield* sql`alter table bench_objects alter column bytes set storage external`
})

/** Generations of one writer, over all rounds: no two have the same key. */
let generations = 0

const store = Effect.fnUntraced(function* (writer: number, bytes: Uint8Array) {
  const sql = yield* PgClient.PgClient
  const manifest = sql.json({ kind: "snapshot", stateBytes: bytes.length })
  yield* sql`insert into bench_objects (key, bytes, manifest, stored_at_ms)
    values (${`room-${writer}/snapshot`}, ${bytes}, ${manifest}, ${performance.now()}),
      (${`room-${writer}/saves/${++generations}`}, ${bytes}, ${manifest}, ${performance.now()})
    on conflict (key) do update set
      bytes = excluded.bytes, manifest = excluded.manifest, stored_at_ms = excluded.stored_at_ms`
})

const round = Effect.fnUntraced(function* (of: {
  readonly writers: number
  readonly seconds: number
  readonly stateBytes: number
}) {
  const bytes = randomBytes(of.stateBytes)
  const endsAtMs = performance.now() + of.seconds * 1000
  let stored = 0
  const writer = Effect.fnUntraced(function* (index: number) {
    while (performance.now() < endsAtMs) {
      yield* store(index, bytes)
      stored++
    }
  })
  const writers = Array.from({ length: of.writers }, (_, index) => writer(index))
  yield* Effect.all(writers, { concurrency: "unbounded", discard: true })
  return stored
})

await runtime.runPromise(prepare)
process.stdout.write("ready\n")
const lines = createInterface({ input: process.stdin })
for await (const line of lines) {
  const [writers = 0, seconds = 0, stateBytes = 0] = line.split(" ").map(Number)
  const stored = await runtime.runPromise(round({ writers, seconds, stateBytes }))
  process.stdout.write(`${stored}\n`)
}
// The bench is gone, or has what it wanted.
await runtime.dispose()
