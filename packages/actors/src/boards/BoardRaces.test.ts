import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject, TestStores } from "../store/testing/TestStores.ts"
import { BoardStore } from "./BoardStore.ts"

const runners = 8
const batches = 12
const players = 40

layer(TestStores)("runners that write the same project at once", (it) => {
  it.effect("[C-581] lose, double and miscount no score in any order of the writes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* BoardStore
      const projectId = yield* newProject
      const boards = { main: { direction: "higher", mode: "sum" } } as const
      yield* (yield* ProjectStore).declare(projectId, { boards })
      // Each batch is one write, as of a runner of its own: nothing here puts them in order.
      const batch = (runner: number, number: number) =>
        store.submit(
          projectId,
          Array.from({ length: players }, (_, player) => ({
            board: "main",
            bucket: null,
            playerId: `p${player}`,
            score: 1,
            // Every batch comes twice, as from a room that repeats what it has submitted.
            digest: `${runner} ${Math.floor(number / 2)} ${player}`
          }))
        )
      yield* Effect.forEach(
        Array.from({ length: runners }, (_, runner) => runner),
        (runner) =>
          Effect.forEach(
            Array.from({ length: 2 * batches }, (_, number) => number),
            (number) => batch(runner, number),
            { discard: true }
          ),
        { concurrency: runners, discard: true }
      )
      const of = { projectId, board: "main", period: "", bucket: "" }
      const rows = yield* store.top(of, 100)
      expect(rows.map(({ key }) => 0 - key)).toEqual(
        Array.from({ length: players }, () => runners * batches)
      )
      const [counts] = yield* Effect.orDie(sql<{ readonly told: number; readonly stepped: number }>`
        select counts.scores::integer as told, (
            select sum(steps.scores)::integer from score_steps steps
              join board_series series on series.series_id = steps.series_id
            where series.project_id = counts.project_id) as stepped
        from score_counts counts where counts.project_id = ${projectId}`)
      expect(counts).toEqual({ told: players, stepped: players })
      const last = rows.at(-1)?.playerId ?? ""
      const around = yield* store.around(of, { playerId: last, each: 1 })
      expect(around.map(({ rank }) => rank)).toEqual([players - 1, players])
    })
  )
})
