import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { readingScores } from "./BoardReads.ts"
import { removingScores } from "./BoardRemovals.ts"
import type { BoardQueries } from "./BoardRows.ts"
import { writingScores } from "./BoardWrites.ts"
import { memoryBoards } from "./MemoryBoardStore.ts"

/** Scores of boards. A failing store is a defect. Spec: Leaderboard limits; D-34. */
export class BoardStore extends Context.Service<BoardStore, BoardQueries>()(
  "@atrium/actors/boards/BoardStore"
) {
  static readonly layerSql = Layer.effect(
    BoardStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      submit: writingScores(sql),
      ...readingScores(sql),
      removeSome: removingScores(sql)
    }))
  )

  static readonly layerMemory = Layer.effect(BoardStore, Effect.map(MemoryDatabase, memoryBoards))
}
