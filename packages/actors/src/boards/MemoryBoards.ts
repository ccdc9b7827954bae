import type { Boards } from "@atrium/domain/boards/Boards"
import type { ProjectId } from "@atrium/domain/shared/Ids"

import { MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import type { Entry, Series } from "./BoardMachine.ts"

interface OfProject {
  readonly projectId: ProjectId
}

interface ScoreRow extends OfProject, Entry {
  readonly board: string
  readonly period: string
  readonly bucket: string
  readonly playerId: string
  readonly score: number
}

interface SeriesRow extends OfProject {
  readonly series: Series
}

/** The direction of each declared board, by {@link boardKey}. */
export const boardTable = new MemoryTable<OfProject & { readonly direction: string }>()
/** By the key of its board, period and bucket. */
export const seriesTable = new MemoryTable<SeriesRow>()
/** By project and the key of the entry. */
export const scoreTable = new MemoryTable<ScoreRow>()
/** When each id was counted, by project and digest. */
export const digestTable = new MemoryTable<OfProject & { readonly atMs: number }>()

/** The key of a board, and with a trailing space the beginning of all keys below it. */
export const boardKey = (projectId: ProjectId, board: string): string => `${projectId}/${board}`

/** Makes the boards what the project declares: one that is gone, or has turned, loses its scores. */
export const declareInMemory = (
  tables: MemoryTables,
  projectId: ProjectId,
  declared: Boards
): void => {
  const boards = boardTable.rowsIn(tables)
  for (const [key, row] of boards) {
    if (row.projectId !== projectId) continue
    const board = key.slice(projectId.length + 1)
    if (declared[board]?.direction === row.direction) continue
    boards.delete(key)
    for (const rows of [scoreTable.rowsIn(tables), seriesTable.rowsIn(tables)]) {
      for (const below of rows.keys()) if (below.startsWith(`${key} `)) rows.delete(below)
    }
  }
  for (const [board, { direction }] of Object.entries(declared)) {
    boards.set(boardKey(projectId, board), { projectId, direction })
  }
}
