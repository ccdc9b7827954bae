import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject, TestStores } from "../store/testing/TestStores.ts"
import { seedScores } from "./BoardSeeds.ts"
import { BoardStore } from "./BoardStore.ts"

const count = 30_000

layer(TestStores)("the reads of a board of 30,000 scores", (it) => {
  it.effect("[C-582] the first 100 are found without a look at the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* BoardStore
      const projectId = yield* newProject
      yield* (yield* ProjectStore).declare(projectId, { boards: { main: { direction: "lower" } } })
      const [board] = yield* sql<{ readonly boardId: number }>`
        select board_id::double precision as "boardId" from boards where project_id = ${projectId}`
      const boardId = board?.boardId ?? 0
      yield* seedScores(sql, { boardId, projectId, period: "", count, nowMs: 0 })
      yield* sql`analyze scores`
      const of = { projectId, board: "main", period: "", bucket: "" }
      const read = Effect.gen(function* () {
        const rows = yield* store.top(of, 100)
        const [looks] = yield* sql`select seq_scan::integer as whole from pg_stat_xact_user_tables
          where relname = 'scores'`
        return { ranks: rows.map(({ rank }) => rank), looks }
      })
      const { ranks, looks } = yield* sql.withTransaction(read)
      expect(ranks).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
      expect(looks).toEqual({ whole: 0 })
    })
  )
})
