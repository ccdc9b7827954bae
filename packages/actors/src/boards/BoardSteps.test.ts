import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { PlayerData } from "../accounts/PlayerData.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject, TestStores } from "../store/testing/TestStores.ts"
import type { Submit } from "./BoardMachine.ts"
import { seedScores } from "./BoardSeeds.ts"
import { BoardStore } from "./BoardStore.ts"

const { min, max } = BoardLimits.boardStep

/** A board with so many seeded scores: the player `seed-n` has the rank n. */
const seededBoard = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const projectId = yield* newProject
  const boards = { main: { direction: "lower", mode: "last" } } as const
  yield* (yield* ProjectStore).declare(projectId, { boards })
  const [board] = yield* Effect.orDie(sql<{ readonly boardId: number }>`
    select board_id::double precision as "boardId" from boards where project_id = ${projectId}`)
  const boardId = board?.boardId ?? 0
  const seeded = { boardId, projectId, period: "", count, nowMs: 0 }
  return { projectId, seriesId: yield* Effect.orDie(seedScores(sql, seeded)) }
})

type Seeded = Effect.Success<ReturnType<typeof seededBoard>>

/** The scores that each step counts, checked against the scores that are in it. */
const stepsOf = Effect.fnUntraced(function* ({ seriesId }: Seeded) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Effect.orDie(sql<{ readonly told: number; readonly there: number }>`
    with steps as (
      select key, at_ms, player, scores as told,
        lead(key) over by_rank as next_key, lead(at_ms) over by_rank as next_at_ms,
        lead(player) over by_rank as next_player
      from score_steps where series_id = ${seriesId}
      window by_rank as (order by key, at_ms, player)
    )
    select told, (select count(*)::integer from scores where series_id = ${seriesId}
        and (scores.key, scores.at_ms, scores.player) >=
          (steps.key, steps.at_ms, steps.player)
        and (next_key is null or (scores.key, scores.at_ms, scores.player) <
          (next_key, next_at_ms, next_player))) as there
    from steps order by key, at_ms, player`)
  for (const { told, there } of rows) {
    if (told !== there) throw new Error(`a step of ${there} scores counts ${told}`)
  }
  return rows.map(({ told }) => told)
})

const submitAll = Effect.fnUntraced(function* (
  { projectId }: Seeded,
  scores: ReadonlyArray<Pick<Submit, "playerId" | "score">>
) {
  const store = yield* BoardStore
  const submits = scores.map((score) => ({ board: "main", bucket: null, digest: null, ...score }))
  for (let at = 0; at < submits.length; at += BoardLimits.submitBatch.max) {
    yield* store.submit(projectId, submits.slice(at, at + BoardLimits.submitBatch.max))
  }
})

const rankOf = ({ projectId }: Seeded, playerId: string) =>
  Effect.map(
    Effect.flatMap(BoardStore, (store) =>
      store.around({ projectId, board: "main", period: "", bucket: "" }, { playerId, each: 1 })
    ),
    (rows) => rows.find((row) => row.playerId === playerId)?.rank
  )

layer(TestStores)("the steps of a board", (it) => {
  it.effect("[limits.boardStep] [C-582] a step of 4096 scores stays, and one more splits it", () =>
    Effect.gen(function* () {
      const seeded = yield* seededBoard(max / 2)
      const equal = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, n) => ({ playerId: `e${from + n}`, score: 7_000 }))
      // All of them have one score, in one millisecond: also equal scores are split.
      yield* submitAll(seeded, equal(0, max / 2))
      expect(yield* stepsOf(seeded)).toEqual([max])
      yield* submitAll(seeded, equal(max / 2, max / 2 + 1))
      expect(yield* stepsOf(seeded)).toEqual([max / 2, max / 2 + 1])
      expect(yield* rankOf(seeded, "e0")).toBe(max / 2 + 1)
      expect(yield* rankOf(seeded, "seed-2048")).toBe(2048)
    })
  )

  it.effect(
    "[limits.boardStep] [C-582] a step of 256 scores stays, and of one less it is joined",
    () =>
      Effect.gen(function* () {
        const seeded = yield* seededBoard((max / 2) * 3)
        // The players of the second step go behind everybody, one millisecond after the others.
        yield* TestClock.adjust(1)
        const leaving = Array.from({ length: max / 2 - min + 1 }, (_, n) => ({
          playerId: `seed-${max / 2 + 1 + n}`,
          score: 9_000 + n
        }))
        yield* submitAll(seeded, leaving.slice(0, -1))
        expect(yield* stepsOf(seeded)).toEqual([max / 2, min, max - min])
        yield* submitAll(seeded, leaving.slice(-1))
        expect(yield* stepsOf(seeded)).toEqual([max / 2 + min - 1, max - min + 1])
        expect(yield* rankOf(seeded, `seed-${max}`)).toBe(max / 2 + min - 1)
      })
  )

  it.effect("[C-582] ranks are those of a count, wherever scores move", () =>
    Effect.gen(function* () {
      const seeded = yield* seededBoard(5000)
      const sql = yield* SqlClient.SqlClient
      // Deterministic: a linear congruence over the players and the scores.
      let state = 17
      const draw = (below: number): number => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        return state % below
      }
      for (let round = 0; round < 8; round++) {
        yield* TestClock.adjust(1)
        const moves = Array.from({ length: 320 }, () => ({
          playerId: `seed-${1 + draw(5600)}`,
          score: draw(3) === 0 ? 4000 : draw(6000)
        }))
        yield* submitAll(seeded, moves)
      }
      // Players under other ids, which come before and behind those of the same moment.
      const data = yield* PlayerData
      const { projectId } = seeded
      for (let n = 1; n <= 400; n++) {
        const newId = `${n % 2 === 0 ? "a" : "z"}${n}`
        yield* data.erase({ projectId, playerId: `seed-${n * 9}`, newId })
      }
      const told = (yield* stepsOf(seeded)).reduce((sum, scores) => sum + scores, 0)
      const ranks = yield* Effect.orDie(sql<{ readonly playerId: string; readonly rank: number }>`
        select player as "playerId",
          row_number() over (order by key, at_ms, player)::integer as rank
        from scores where series_id = ${seeded.seriesId}`)
      expect(ranks).toHaveLength(told)
      const store = yield* BoardStore
      const of = { projectId: seeded.projectId, board: "main", period: "", bucket: "" }
      for (const { playerId, rank } of ranks.filter((_, n) => n % 97 === 0)) {
        const rows = yield* store.around(of, { playerId, each: 3 })
        const expected = ranks.filter((row) => Math.abs(row.rank - rank) <= 3)
        expect(rows.map((row) => ({ playerId: row.playerId, rank: row.rank }))).toEqual(
          expected.toSorted((one, other) => one.rank - other.rank)
        )
      }
    })
  )
})
