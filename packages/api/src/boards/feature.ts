import { BoardSubmits } from "@atrium/actors/boards/BoardSubmits"
import { BoardSweep } from "@atrium/actors/boards/BoardSweep"
import { boardTables } from "@atrium/actors/boards/BoardTables"
import { BoardsApi } from "@atrium/domain/boards/BoardsApi"

import { defineFeature } from "../defineFeature.ts"
import { boardCalls, boardRate, BoardsHandlers } from "./boards.ts"

export const feature = defineFeature({
  noun: "boards",
  contract: [BoardsApi],
  handlers: BoardsHandlers,
  rates: [boardRate],
  tables: boardTables,
  calls: boardCalls,
  layers: BoardSubmits.layer,
  actors: BoardSweep
})
