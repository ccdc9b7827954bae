import { once } from "node:events"
import { createInterface } from "node:readline"

import { ratedByReport } from "@atrium/wire/ratings/RatedReport"
import { Pool, type PoolClient } from "pg"

// The reference for what is kept of players: the plainest program that does it, in one process. Its argument is the
// address of the database. Each line on standard input is answered by one line, the number of calls done:
//   report LANES CALLS TURN     results of four players each
//   ratings LANES CALLS TURN    ratings of four players each
//   kvSet LANES CALLS TURN      values of players
//   kvGet LANES CALLS TURN      the same, read
//   submit LANES CALLS TURN     scores of players
//   boardRead LANES CALLS TURN  the first ten of them: answered by the median of ms of a read
//   ticket LANES CALLS TURN     a player who waits: answered by the median of ms of an insert
//   match LANES CALLS TURN      two players who wait: answered by the median of ms until both have a room
//   watch LANES CALLS TURN      who is where: answered by the median of ms from a write until a listener has read it

const [connectionString = ""] = process.argv.slice(2)
const pool = new Pool({ connectionString, max: 64 })
// The bench ends the service, and its PostgreSQL, when it has what it wanted.
pool.on("error", () => undefined)

await pool.query(`create table if not exists bench_ratings (
  player_id text primary key,
  rating double precision not null,
  deviation double precision not null
)`)

await pool.query(`create table if not exists bench_kv (
  player_id text not null,
  key text not null,
  value text not null,
  version bigint not null,
  primary key (player_id, key)
)`)

await pool.query(`create table if not exists bench_scores (
  player_id text primary key,
  score bigint not null
)`)
await pool.query("create index if not exists bench_scores_by_score on bench_scores (score)")

await pool.query(`create table if not exists bench_presence (
  player_id text primary key,
  room_id text not null
)`)

await pool.query(`create table if not exists bench_tickets (
  ticket_id bigserial primary key,
  player_id text not null,
  room_id text
)`)
await pool.query(
  "create index if not exists bench_tickets_waiting on bench_tickets (ticket_id) where room_id is null"
)

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

const kvSet = async (client: PoolClient, call: number): Promise<void> => {
  const value = JSON.stringify({ level: call, coins: 7 * call })
  const text = `insert into bench_kv (player_id, key, value, version) values ($1, 'progress', $2, 1)
    on conflict (player_id, key) do update
      set value = excluded.value, version = bench_kv.version + 1 returning version`
  await client.query({ name: "set", text, values: [`p${call % 400}`, value] })
}

const kvGet = async (client: PoolClient, call: number): Promise<void> => {
  const text = "select value, version from bench_kv where player_id = $1 and key = 'progress'"
  await client.query({ name: "get", text, values: [`p${call % 400}`] })
}

const submit = async (client: PoolClient, call: number): Promise<void> => {
  const text = `insert into bench_scores values ($1, $2)
    on conflict (player_id) do update set score = greatest(bench_scores.score, excluded.score)`
  await client.query({ name: "submit", text, values: [`p${call % 400}`, call] })
}

const works: Readonly<Record<string, typeof report>> = { report, ratings, kvSet, kvGet, submit }

/** A connection hears of each write of another, and reads what was written. */
const watch = async (calls: number): Promise<number> => {
  const [listener, writer] = [await pool.connect(), await pool.connect()]
  await listener.query("listen bench_presence")
  const each: Array<number> = []
  for (let call = 0; call < calls; call++) {
    const heard = once(listener, "notification")
    const startedAtMs = performance.now()
    const text = `with written AS (
        insert into bench_presence values ($1, $2)
        on conflict (player_id) do update set room_id = excluded.room_id
      ) select pg_notify('bench_presence', $1)`
    await writer.query({ name: "enter", text, values: [`p${call}`, "lounge"] })
    await heard
    await listener.query({
      name: "where",
      text: "select room_id from bench_presence where player_id = $1",
      values: [`p${call}`]
    })
    each.push(performance.now() - startedAtMs)
  }
  await listener.query("unlisten bench_presence")
  listener.release()
  writer.release()
  return medianOf(each)
}

const boardRead = async (calls: number): Promise<number> => {
  const each: Array<number> = []
  for (let call = 0; call < calls; call++) {
    const startedAtMs = performance.now()
    const text = "select player_id, score from bench_scores order by score desc limit 10"
    await pool.query({ name: "top", text })
    each.push(performance.now() - startedAtMs)
  }
  return medianOf(each)
}

const insertTicket = {
  name: "ticket",
  text: "insert into bench_tickets (player_id) values ($1) returning ticket_id"
}

const ticket = async (calls: number): Promise<number> => {
  const each: Array<number> = []
  for (let call = 0; call < calls; call++) {
    const startedAtMs = performance.now()
    await pool.query({ ...insertTicket, values: [`p${call}`] })
    each.push(performance.now() - startedAtMs)
  }
  await pool.query("delete from bench_tickets")
  return medianOf(each)
}

const match = async (calls: number): Promise<number> => {
  const each: Array<number> = []
  for (let call = 0; call < calls; call++) {
    const startedAtMs = performance.now()
    for (const player of ["a", "b"]) {
      await pool.query({ ...insertTicket, values: [`${player}${call}`] })
    }
    const text = `update bench_tickets set room_id = $1 where ticket_id in (
        select ticket_id from bench_tickets where room_id is null
        order by ticket_id limit 2 for update skip locked
      )`
    const { rowCount } = await pool.query({ name: "match", text, values: [`m${call}`] })
    if (rowCount !== 2) throw new Error(`${rowCount} tickets were matched`)
    each.push(performance.now() - startedAtMs)
  }
  return medianOf(each)
}

const medianOf = (each: ReadonlyArray<number>): number =>
  each.toSorted((one, other) => one - other)[Math.floor(each.length / 2)] ?? Number.NaN

const answer = async (line: string): Promise<number> => {
  const [order = "", ...rest] = line.split(" ")
  const [lanes = 0, calls = 0, turn = 0] = rest.map(Number)
  if (order === "watch") return watch(calls)
  if (order === "boardRead") return boardRead(calls)
  if (order === "ticket") return ticket(calls)
  if (order === "match") return match(calls)
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
