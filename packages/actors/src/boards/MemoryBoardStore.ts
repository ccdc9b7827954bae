import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { periodAt } from "@atrium/domain/boards/BoardPeriods"
import type { ProjectId } from "@atrium/domain/shared/Ids"

import { projectIn } from "../projects/ProjectStore.ts"
import { atNow, type MemoryDatabase, type MemoryTables } from "../store/MemoryDatabase.ts"
import {
  type Entry,
  entryKey,
  type PlacedSubmit,
  placed,
  type ScoreBook,
  scoreAt,
  step,
  type Submit,
  SubmitOutcome
} from "./BoardMachine.ts"
import type { BoardQueries, RankedScore, SeriesName } from "./BoardRows.ts"
import { boardKey, boardTable, digestTable, scoreTable, seriesTable } from "./MemoryBoards.ts"

/** The scores of all boards on a database in memory. */
export const memoryBoards = (database: MemoryDatabase["Service"]): BoardQueries => {
  const { tables, ask } = database
  return {
    submit: (projectId, submits) =>
      atNow(database)("BoardStore.submit", (nowMs) =>
        submitAll(tables, { projectId, nowMs }, submits)
      ),
    top: (of, limit) => ask("BoardStore.top", () => ranked(tables, of).slice(0, limit)),
    around: (of, { playerId, each }) =>
      ask("BoardStore.around", () => {
        const rows = ranked(tables, of)
        const mine = rows.findIndex((row) => row.playerId === playerId)
        return mine < 0 ? [] : rows.slice(Math.max(0, mine - each), mine + each + 1)
      }),
    removeSome: atNow(database)("BoardStore.removeSome", (nowMs) => {
      const removed = removePast(tables, nowMs)
      const digests = digestTable.rowsIn(tables)
      const lapsed = [...digests].filter(([, { atMs }]) => hasLapsed(atMs, nowMs))
      for (const [digest] of lapsed) digests.delete(digest)
      return removed
    })
  }
}

interface Batch {
  readonly projectId: ProjectId
  readonly nowMs: number
}

const submitAll = (
  tables: MemoryTables,
  { projectId, nowMs }: Batch,
  submits: ReadonlyArray<Submit>
): ReadonlyArray<SubmitOutcome> => {
  const declared = projectIn(tables, projectId)?.boards ?? {}
  const before = bookOf(tables, { projectId, nowMs })
  let book = before
  return submits.map((submit) => {
    const known = boardTable.rowsIn(tables).has(boardKey(projectId, submit.board))
    const tried = placed(submit, known ? declared[submit.board] : undefined, nowMs)
    if (typeof tried === "string") return SubmitOutcome.Refused({ why: tried })
    const [next, outcome] = step(book, { ...tried, nowMs })
    book = next
    keep(tables, { projectId, nowMs }, { submit: tried, book })
    return outcome
  })
}

const bookOf = (tables: MemoryTables, { projectId, nowMs }: Batch): ScoreBook => {
  const entries = new Map<string, Entry>()
  for (const [key, row] of scoreTable.rowsIn(tables)) {
    if (row.projectId === projectId) entries.set(key.slice(projectId.length + 1), row)
  }
  const digests = new Set<string>()
  for (const [key, { atMs }] of digestTable.rowsIn(tables)) {
    if (key.startsWith(`${projectId}/`) && !hasLapsed(atMs, nowMs)) {
      digests.add(key.slice(projectId.length + 1))
    }
  }
  return { rows: entries.size, entries, digests }
}

/** Writes the one score and the one id that a submit may have changed. */
const keep = (
  tables: MemoryTables,
  { projectId, nowMs }: Batch,
  { submit, book }: { readonly submit: PlacedSubmit; readonly book: ScoreBook }
): void => {
  const { series, playerId, digest } = submit
  const at = entryKey(series, submit)
  const entry = book.entries.get(at)
  const seriesAt = `${boardKey(projectId, series.board)} ${series.period.name} ${series.bucket}`
  if (entry !== undefined) {
    const { board, period, bucket } = series
    const score = scoreAt(submit.declared, entry)
    const row = { projectId, board, period: period.name, bucket, playerId, score }
    scoreTable.rowsIn(tables).set(`${projectId}/${at}`, { ...row, ...entry })
    if (!seriesTable.rowsIn(tables).has(seriesAt)) {
      seriesTable.rowsIn(tables).set(seriesAt, { projectId, series })
    }
  }
  const counted = digestTable.rowsIn(tables)
  const place = `${projectId}/${digest}`
  const known = counted.get(place)
  if (digest !== null && book.digests.has(digest) && (!known || hasLapsed(known.atMs, nowMs))) {
    counted.set(place, { projectId, atMs: nowMs })
  }
}

const hasLapsed = (atMs: number, nowMs: number): boolean =>
  atMs <= nowMs - BoardLimits.submitIdKept.ms

const ranked = (
  tables: MemoryTables,
  { projectId, board, period, bucket }: SeriesName
): ReadonlyArray<RankedScore> =>
  [...scoreTable.rowsIn(tables).values()]
    .filter(
      (row) =>
        row.projectId === projectId &&
        row.board === board &&
        row.period === period &&
        row.bucket === bucket
    )
    .sort(
      (one, other) =>
        one.key - other.key ||
        one.atMs - other.atMs ||
        Buffer.compare(Buffer.from(one.playerId), Buffer.from(other.playerId))
    )
    .map(({ playerId, key, atMs }, index) => ({ rank: index + 1, playerId, key, atMs }))

/** @returns whether a past period had to go */
const removePast = (tables: MemoryTables, nowMs: number): boolean => {
  const starts = new Map<string, Map<string, number>>()
  for (const { projectId, series } of seriesTable.rowsIn(tables).values()) {
    const declared = projectIn(tables, projectId)?.boards[series.board]
    if (series.period.name === periodAt(declared?.period, nowMs).name) continue
    const key = boardKey(projectId, series.board)
    const past = starts.get(key) ?? new Map<string, number>()
    const { name, startsAtMs } = series.period
    starts.set(key, past.set(name, Math.min(startsAtMs, past.get(name) ?? startsAtMs)))
  }
  let removed = false
  for (const [key, past] of starts) {
    const [projectId = "", board = ""] = key.split("/")
    const kept = projectIn(tables, projectId)?.boards[board]?.keep
    const newest = [...past].sort(
      ([one, oneMs], [other, otherMs]) => otherMs - oneMs || (one < other ? 1 : -1)
    )
    for (const [period] of newest.slice(kept ?? BoardLimits.boardKeepDefault.max)) {
      removed = true
      for (const rows of [scoreTable.rowsIn(tables), seriesTable.rowsIn(tables)]) {
        for (const at of rows.keys()) if (at.startsWith(`${key} ${period} `)) rows.delete(at)
      }
    }
  }
  return removed
}
