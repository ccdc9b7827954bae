import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { seedScores } from "@atrium/actors/boards/BoardSeeds"
import { BoardStore } from "@atrium/actors/boards/BoardStore"
import { BoardSubmits } from "@atrium/actors/boards/BoardSubmits"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { migrationsLayer, migrationsOf } from "@atrium/actors/store/Migrations"
import { storesLayer } from "@atrium/actors/store/Stores"
import { allTables } from "@atrium/actors/store/testing/AllTables"
import { RoomId } from "@atrium/domain/shared/Ids"
import { startEmbeddedPostgres } from "@atrium/postgres/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const rows = 1_000_000
const rounds = 9

/** The embedded PostgreSQL as a service has it: what it has committed is on the disk. */
const database = Layer.unwrap(
  Effect.gen(function* () {
    const dataDir = mkdtempSync(join(tmpdir(), "atrium-board-cost-"))
    const { url } = yield* startEmbeddedPostgres({ dataDir, durable: true })
    return migrationsLayer(migrationsOf(allTables)).pipe(
      Layer.provideMerge(PgClient.layer({ url, maxConnections: 20 }))
    )
  })
)

const stores = BoardSubmits.layer.pipe(
  Layer.provideMerge(storesLayer(new Uint8Array(32), [])),
  Layer.provideMerge(database)
)

/** A project whose board has a million scores: `seed-n` has the rank n. */
const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const projects = yield* ProjectStore
  yield* sql`insert into accounts (account_id, name, created_at_ms) values ('acc', 'bench', 0)`
  const { projectId } = yield* projects.create("acc", "bench")
  yield* projects.declare(projectId, { boards: { main: { direction: "lower", mode: "last" } } })
  const [board] = yield* sql<{ readonly boardId: number }>`
    select board_id::double precision as "boardId" from boards where project_id = ${projectId}`
  const boardId = board?.boardId ?? 0
  const seriesId = yield* seedScores(sql, { boardId, projectId, period: "", count: rows, nowMs: 0 })
  yield* sql`create table bare_scores (
    series_id bigint not null, player text collate "C" not null, key bigint not null,
    at_ms bigint not null, primary key (series_id, player))`
  yield* sql`create index bare_scores_by_rank on bare_scores (series_id, key, at_ms, player)`
  yield* sql`insert into bare_scores select * from scores where series_id = ${seriesId}`
  yield* sql`vacuum analyze scores`
  yield* sql`vacuum analyze bare_scores`
  return { sql, projectId, seriesId, of: { projectId, board: "main", period: "", bucket: "" } }
})

/** The figures, for docs/performance.md. */
const said = (what: string, { oursMs, plainMs, ratio }: Cost) =>
  Effect.sync(() => {
    const ms = (value: number): string => `${value.toFixed(2)} ms`
    process.stdout.write(
      `${what}: ${ms(oursMs)}, plain ${ms(plainMs)}, ratio ${ratio.toFixed(3)}\n`
    )
  })

interface Cost {
  readonly oursMs: number
  readonly plainMs: number
  readonly ratio: number
}

const timed = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const startedAtMs = performance.now()
  yield* work
  return performance.now() - startedAtMs
})

/** The middle one of ratios of works that were done in turns, and the middle time of each. */
const compared = Effect.fnUntraced(function* <A, B, E, R, F, S>(
  ours: (round: number) => Effect.Effect<A, E, R>,
  plain: (round: number) => Effect.Effect<B, F, S>
) {
  const times: Array<readonly [ours: number, plain: number]> = []
  for (let round = 0; round <= rounds; round++) {
    const one = [yield* timed(ours(round)), yield* timed(plain(round))] as const
    // The first round warms both up.
    if (round > 0) times.push(one)
  }
  const middle = (values: ReadonlyArray<number>): number =>
    values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
  return {
    oursMs: middle(times.map(([one]) => one)),
    plainMs: middle(times.map(([, other]) => other)),
    ratio: middle(times.map(([one, other]) => one / other))
  }
})

type Seeded = Effect.Success<typeof seeded>

/** The first 100, and wherever the player is on the board. */
const readCosts = Effect.fnUntraced(function* ({ sql, of, seriesId }: Seeded) {
  const { around, top } = yield* BoardStore
  const all = sql`select count(*) from scores where series_id = ${seriesId}::bigint`
  const first = yield* compared(
    () => top(of, 100),
    () => all
  )
  yield* said("the first 100", first)
  const costs = [first.ratio]
  for (const part of [0.02, 0.5, 0.98]) {
    const player = { playerId: `seed-${rows * part}`, each: 5 }
    const cost = yield* compared(
      () => around(of, player),
      () => all
    )
    yield* said(`a rank at ${100 * part} %`, cost)
    costs.push(cost.ratio)
  }
  return costs
})

/** One submit after the other, and many at once. */
const submitCosts = Effect.fnUntraced(function* ({ sql, projectId, seriesId }: Seeded) {
  const { submit } = yield* BoardSubmits
  const room = { projectId, roomId: RoomId.make("bench") }
  const playerOf = (round: number, n: number) => `seed-${((round * 7919 + n * 104_729) % rows) + 1}`
  const scoreOf = (round: number, n: number) => (round * 31 + n * 524_287) % rows
  const ours = (round: number) => (n: number) =>
    submit(room, {
      board: "main",
      bucket: null,
      playerId: playerOf(round, n),
      score: scoreOf(round, n),
      id: null
    })
  const bare = (round: number) => (n: number) =>
    sql`
    insert into bare_scores (series_id, player, key, at_ms)
    values (${seriesId}::bigint, ${playerOf(round, n)}, ${scoreOf(round, n)}::bigint, 1)
    on conflict (series_id, player) do update set key = excluded.key, at_ms = excluded.at_ms`
  const costs: Array<number> = []
  for (const [lanes, writes] of [
    [1, 200],
    [64, 2000]
  ] as const) {
    const numbers = Array.from({ length: writes }, (_, n) => n)
    const all = { concurrency: lanes, discard: true } as const
    const cost = yield* compared(
      (round) => Effect.forEach(numbers, ours(lanes * 100 + round), all),
      (round) => Effect.forEach(numbers, bare(lanes * 100 + round), all)
    )
    yield* said(`${writes} submits, ${lanes} at once`, cost)
    costs.push(cost.ratio)
  }
  return costs
})

layer(stores)("a board of a million scores, beside plain SQL on the same PostgreSQL", (it) => {
  it.effect(
    "[C-581] [C-582] a read costs at most 0.05 of a count of all scores, and a submit at most 4 bare upserts",
    () =>
      Effect.gen(function* () {
        const board = yield* seeded
        expect(Math.max(...(yield* readCosts(board)))).toBeLessThanOrEqual(0.05)
        expect(Math.max(...(yield* submitCosts(board)))).toBeLessThanOrEqual(4)
      }),
    300_000
  )
})
