import { randomBytes } from "node:crypto"
import { createInterface } from "node:readline"

import { Pool } from "pg"

// The reference for what is stored: PostgreSQL with nothing around it. Its argument is the address of the
// database. Each line on standard input is answered by one line:
//   read KEY                        ms for one read of a stored object, and its bytes (`pg` gets them as hex)
//   commit                          ms for one update of one row, and its commit
//   upsert WRITERS SECONDS BYTES    states stored, each with a save generation in one statement

const [connectionString = ""] = process.argv.slice(2)
const pool = new Pool({ connectionString, max: 20 })
// The bench ends the service, and its PostgreSQL, when it has what it wanted.
pool.on("error", () => undefined)

await pool.query(`create table if not exists bench_objects (
  key text primary key,
  bytes bytea not null,
  manifest jsonb not null,
  stored_at_ms bigint not null
)`)
await pool.query("alter table bench_objects alter column bytes set storage external")
await pool.query(
  "create table if not exists bench_row (id integer primary key, count integer not null)"
)
await pool.query("insert into bench_row values (1, 0) on conflict do nothing")

const timed = async <A>(act: () => Promise<A>): Promise<readonly [number, A]> => {
  const startedAtMs = performance.now()
  const done = await act()
  return [performance.now() - startedAtMs, done]
}

const read = async (key: string): Promise<string> => {
  const [ms, { rows }] = await timed(() =>
    pool.query({
      name: "read",
      text: "select bytes from objects where key = $1",
      values: [key]
    })
  )
  const bytes: unknown = rows[0]?.bytes
  return `${ms} ${bytes instanceof Buffer ? bytes.length : 0}`
}

const commit = async (): Promise<string> => {
  const text = "update bench_row set count = count + 1 where id = 1"
  const [ms] = await timed(() => pool.query({ name: "commit", text }))
  return `${ms}`
}

/** Generations of one writer, over all rounds: no two have the same key. */
let generations = 0

const upsertText = `insert into bench_objects (key, bytes, manifest, stored_at_ms)
  values ($1, $3, $4, $5), ($2, $3, $4, $5)
  on conflict (key) do update set
    bytes = excluded.bytes, manifest = excluded.manifest, stored_at_ms = excluded.stored_at_ms`

const upsert = async (writers: number, seconds: number, stateBytes: number): Promise<string> => {
  const bytes = randomBytes(stateBytes)
  const manifest = JSON.stringify({ kind: "snapshot", stateBytes })
  const endsAtMs = performance.now() + seconds * 1000
  let stored = 0
  const writer = async (_: unknown, index: number): Promise<void> => {
    while (performance.now() < endsAtMs) {
      const keys = [`room-${index}/snapshot`, `room-${index}/saves/${++generations}`]
      const values = [...keys, bytes, manifest, Math.round(performance.now())]
      await pool.query({ name: "upsert", text: upsertText, values })
      stored++
    }
  }
  await Promise.all(Array.from({ length: writers }).map(writer))
  return `${stored}`
}

const answer = (line: string): Promise<string> => {
  const [order = "", ...rest] = line.split(" ")
  const [writers = 0, seconds = 0, stateBytes = 0] = rest.map(Number)
  switch (order) {
    case "read":
      return read(rest[0] ?? "")
    case "commit":
      return commit()
    case "upsert":
      return upsert(writers, seconds, stateBytes)
    default:
      throw new Error(`no such order: ${line}`)
  }
}

process.stdout.write("ready\n")
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await answer(line)}\n`)
}
// The bench is gone, or has what it wanted.
process.exit(0)
