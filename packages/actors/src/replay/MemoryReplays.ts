import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"

import type { Manifest, Put } from "../objects/ObjectRows.ts"
import { deleteInMemory, listInMemory, putInMemory } from "../objects/ObjectStore.ts"
import { projectIn } from "../projects/ProjectStore.ts"
import { byText, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import {
  chunkKey,
  type NewChunk,
  type NewReplay,
  type Recorder,
  replayPrefix,
  type ReplayRow,
  rowOf
} from "./ReplayRows.ts"

/** Replays by id. */
export const replayTable = new MemoryTable<ReplayRow>()

interface Adding {
  readonly chunks: ReadonlyArray<NewChunk>
  readonly puts: ReadonlyArray<Put>
  readonly nowMs: number
}

interface Appending {
  readonly chunk: NewChunk
  readonly facts: Manifest
  readonly nowMs: number
}

/** The rows of replays in memory. */
const replaysIn = (tables: MemoryTables) => {
  const rows = replayTable.rowsIn(tables)
  const running = ({ projectId, roomId }: RoomKey) =>
    [...rows.values()].filter(
      (row) => row.running && row.projectId === projectId && row.roomId === roomId
    )
  const set = (row: ReplayRow): ReplayRow => {
    rows.set(row.replayId, row)
    return row
  }
  const find = (replayId: string, nowMs: number): ReplayRow | null => {
    const row = rows.get(replayId)
    if (row === undefined || row.expiresAtMs <= nowMs) return null
    return projectIn(tables, row.projectId) === null ? null : row
  }
  const removeRow = (row: ReplayRow): void => {
    rows.delete(row.replayId)
    const { entries } = listInMemory(tables, replayPrefix(row), [])
    deleteInMemory(
      tables,
      entries.map(({ key }) => key)
    )
  }
  return { rows, running, set, find, removeRow }
}

/** What is done to replays in memory: each method is one transaction. */
export const memoryReplays = (tables: MemoryTables) => ({
  ...addingTo(tables),
  ...readingOf(tables),
  ...endingIn(tables)
})

const addingTo = (tables: MemoryTables) => {
  const { rows, set } = replaysIn(tables)
  return {
    add: (clip: NewReplay, { chunks, puts, nowMs }: Adding): ReplayRow | null => {
      if (projectIn(tables, clip.key.projectId) === null) return null
      putInMemory(tables, puts, nowMs)
      const row = rowOf(clip, chunks, nowMs)
      return set({ ...row, kind: "clip", epoch: 0, running: false })
    },
    append: (recorder: Recorder, { chunk, facts, nowMs }: Appending): ReplayRow | null => {
      if (projectIn(tables, recorder.key.projectId) === null) return null
      const known = rows.get(recorder.replayId)
      if (known === undefined ? recorder.begun : known.epoch !== recorder.epoch) return null
      const row: ReplayRow =
        known === undefined
          ? {
              ...rowOf(recorder, [chunk], nowMs),
              kind: "recording",
              epoch: recorder.epoch,
              running: true
            }
          : {
              ...known,
              chunks: known.chunks + 1,
              bytes: known.bytes + chunk.bytes.length,
              endsAtMs: Math.max(known.endsAtMs, chunk.toMs),
              running: true
            }
      const key = chunkKey(row, row.chunks - 1)
      putInMemory(tables, [{ key, bytes: chunk.bytes, manifest: facts }], nowMs)
      return set(row)
    }
  }
}

const readingOf = (tables: MemoryTables) => {
  const { rows, find } = replaysIn(tables)
  return {
    find,
    list: (projectId: string, nowMs: number): ReadonlyArray<ReplayRow> =>
      [...rows.values()]
        .filter((row) => row.projectId === projectId && row.expiresAtMs > nowMs)
        .sort(
          (one, other) =>
            other.createdAtMs - one.createdAtMs || byText(one.replayId, other.replayId)
        )
        .slice(0, ReplayStoreLimits.replaysListed.max)
  }
}

const endingIn = (tables: MemoryTables) => {
  const { rows, running, set, find, removeRow } = replaysIn(tables)
  return {
    end: (replayId: string): void => {
      const row = rows.get(replayId)
      if (row !== undefined) set({ ...row, running: false, epoch: 0 })
    },
    resume: (
      key: RoomKey,
      how: { readonly version: number; readonly epoch: number; readonly sinceMs: number }
    ): ReplayRow | null => {
      let resumed: ReplayRow | null = null
      for (const row of running(key).filter(({ epoch }) => epoch < how.epoch)) {
        const goesOn = row.version === how.version && row.endsAtMs >= how.sinceMs
        if (goesOn) resumed = set({ ...row, epoch: how.epoch })
        else set({ ...row, running: false, epoch: 0 })
      }
      return resumed
    },
    remove: (
      { projectId, replayId }: Pick<ReplayRow, "projectId" | "replayId">,
      nowMs: number
    ): ReplayRow | null => {
      const row = find(replayId, nowMs)
      if (row === null || row.projectId !== projectId) return null
      removeRow(row)
      return row
    },
    removeExpired: (nowMs: number): number => {
      const expired = [...rows.values()]
        .filter(({ expiresAtMs }) => expiresAtMs <= nowMs)
        .sort((one, other) => one.expiresAtMs - other.expiresAtMs)
        .slice(0, ReplayStoreLimits.replaySweepBatch.max)
      for (const row of expired) removeRow(row)
      return expired.length
    },
    endLost: (nowMs: number): void => {
      const untilMs = nowMs - 2 * ReplayStoreLimits.recordingGap.ms
      for (const row of rows.values()) {
        if (row.running && row.endsAtMs < untilMs) set({ ...row, running: false })
      }
    }
  }
}
