import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"

import { deleteInMemory, putInMemory } from "../objects/ObjectStore.ts"
import { projectIn } from "../projects/ProjectStore.ts"
import { byText, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import {
  freshProgress,
  isOver,
  isSame,
  type NewRehearsal,
  type RehearsalRow,
  rehearsedKey
} from "./RehearsalRow.ts"

/** Rehearsals by id. */
export const rehearsalTable = new MemoryTable<RehearsalRow>()

interface Beginning {
  readonly bundle: Uint8Array
  readonly rehearsalId: string
  readonly nowMs: number
}

/** What is done to rehearsals in memory: each method is one transaction. */
export const memoryRehearsals = (tables: MemoryTables) => {
  const rows = rehearsalTable.rowsIn(tables)
  const set = (row: RehearsalRow): RehearsalRow => {
    rows.set(row.rehearsalId, row)
    return row
  }
  const list = (projectId: ProjectId): ReadonlyArray<RehearsalRow> =>
    [...rows.values()].filter((row) => row.projectId === projectId).sort(newestFirst)
  const changed = (row: RehearsalRow, to: Partial<RehearsalRow>): RehearsalRow =>
    set({ ...row, ...to, revision: row.revision + 1 })
  const stopOthers = (projectId: ProjectId, rehearsalId: string): void => {
    for (const row of list(projectId)) {
      if (row.state === "running" && row.rehearsalId !== rehearsalId) changed(row, stopped)
    }
  }
  return {
    begin: (begins: NewRehearsal, { bundle, rehearsalId, nowMs }: Beginning) => {
      const { projectId } = begins
      if (projectIn(tables, projectId) === null) return null
      const same = list(projectId).find((row) => isSame(row, begins))
      stopOthers(projectId, same?.rehearsalId ?? rehearsalId)
      if (same !== undefined) {
        return same.state === "running"
          ? same
          : changed(same, { state: "running", changedAtMs: nowMs })
      }
      const key = rehearsedKey({ projectId, rehearsalId })
      putInMemory(tables, [{ key, bytes: bundle, manifest: {} }], nowMs)
      const row = set(beginning(begins, rehearsalId, nowMs))
      for (const old of list(projectId).slice(MigrationLimits.rehearsalsKept.max)) {
        rows.delete(old.rehearsalId)
        deleteInMemory(tables, [rehearsedKey(old)])
      }
      return row
    },
    find: (projectId: ProjectId, rehearsalId: string): RehearsalRow | null => {
      const row = rows.get(rehearsalId)
      return row?.projectId === projectId ? row : null
    },
    list,
    running: (): ReadonlyArray<RehearsalRow> =>
      [...rows.values()]
        .filter((row) => row.state === "running" && projectIn(tables, row.projectId) !== null)
        .sort((one, other) => newestFirst(other, one)),
    set: (
      { projectId, rehearsalId }: Pick<RehearsalRow, "projectId" | "rehearsalId">,
      state: "running" | "stopped",
      nowMs: number
    ): RehearsalRow | null => {
      const row = rows.get(rehearsalId)
      if (row === undefined || row.projectId !== projectId) return null
      if (isOver(row) || row.state === state) return row
      if (state === "running") stopOthers(projectId, rehearsalId)
      return changed(row, { state, changedAtMs: nowMs })
    },
    advance: (
      { rehearsalId, revision }: RehearsalRow,
      to: Pick<RehearsalRow, "progress" | "state">,
      nowMs: number
    ): RehearsalRow | null => {
      const row = rows.get(rehearsalId)
      if (row === undefined || row.revision !== revision || row.state !== "running") return null
      if (isOver(to)) deleteInMemory(tables, [rehearsedKey(row)])
      return changed(row, { ...to, changedAtMs: nowMs })
    }
  }
}

const stopped = { state: "stopped" } as const

const beginning = (begins: NewRehearsal, rehearsalId: string, nowMs: number): RehearsalRow => ({
  ...begins,
  rehearsalId,
  state: "running",
  progress: freshProgress,
  revision: 1,
  createdAtMs: nowMs,
  changedAtMs: nowMs
})

const newestFirst = (one: RehearsalRow, other: RehearsalRow): number =>
  other.createdAtMs - one.createdAtMs || byText(other.rehearsalId, one.rehearsalId)
