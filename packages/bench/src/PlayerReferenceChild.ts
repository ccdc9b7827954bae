import { createInterface } from "node:readline"

import { ratedByReport } from "@atrium/wire/ratings/RatedReport"
import { Pool, type PoolClient } from "pg"

// The reference for what is kept of players: the plainest program that does it, in one process. Its argument is the
// address of the database. Each line on standard input is answered by one line, the number of calls done:
//   report LANES CALLS TURN     results of four players each
//   ratings LANES CALLS TURN    ratings of four players each

const [connectionString = ""] = process.argv.slice(2)
const pool = new Pool({ connectionString, max: 64 })
// The bench ends the service, and its PostgreSQL, when it has what it wanted.
pool.on("error", () => undefined)

await pool.query(`create table if not exists bench_ratings (
  player_id text primary key,
  rating double precision not null,
  deviation double precision not null
)`)

/** The four players of a call, as the room type `clerk` draws them. */
const playersOf = (call: number): ReadonlyArray<string> =>
  [0, 1, 2, 3].map((place) => `p${(call * 7 + place * 101) % 400}`)

const read = {
  name: "read",
  text: "select player_id, rating, deviation from bench_ratings where player_id = any($1)"
}
const lock = { name: "lock", text: `${read.text} order by player_id for update` }
const upsert = {
  name: "upsert",
  text: `insert into bench_ratings (player_id, rating, deviation)
    select * from unnest($1::text[], $2::float8[], $3::float8[])
    on conflict (player_id) do update
      set rating = excluded.rating, deviation = excluded.deviation`
}

const ratings = async (client: PoolClient, call: number): Promise<void> => {
  await client.query({ ...read, values: [playersOf(call)] })
}

const report = async (client: PoolClient, call: number): Promise<void> => {
  const players = playersOf(call).toSorted()
  await client.query("begin")
  const { rows } = await client.query({ ...lock, values: [players] })
  const known = new Map(rows.map((row) => [row.player_id, row]))
  const after = ratedByReport(
    players.map((player, place) => ({
      rating: known.get(player)?.rating ?? 1500,
      deviation: known.get(player)?.deviation ?? 350,
      place
    }))
  )
  const columns = [after.map(({ rating }) => rating), after.map(({ deviation }) => deviation)]
  await client.query({ ...upsert, values: [players, ...columns] })
  await client.query("commit")
}

const works: Readonly<Record<string, typeof report>> = { report, ratings }

const answer = async (line: string): Promise<number> => {
  const [order = "", ...rest] = line.split(" ")
  const [lanes = 0, calls = 0, turn = 0] = rest.map(Number)
  const work = works[order]
  if (work === undefined) throw new Error(`no such order: ${line}`)
  let done = 0
  const lane = async (_: unknown, index: number): Promise<void> => {
    const client = await pool.connect()
    for (let call = 0; call < calls; call++, done++) {
      await work(client, (turn * lanes + index) * calls + call)
    }
    client.release()
  }
  await Promise.all(Array.from({ length: lanes }).map(lane))
  return done
}

process.stdout.write("ready\n")
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await answer(line)}\n`)
}
// The bench is gone, or has what it wanted.
process.exit(0)
