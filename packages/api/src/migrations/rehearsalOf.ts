import { failedKinds } from "@atrium/actors/migrations/RehearsalReport"
import { isOver, type RehearsalRow } from "@atrium/actors/migrations/RehearsalRow"
import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { Rehearsal } from "@atrium/domain/migrations/RehearsalsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"

/** A rehearsal as the API shows it. */
export const rehearsalOf = (row: RehearsalRow): Rehearsal => {
  const { report } = row.progress
  const { count, totalMs, maxMs, roomId } = report.wakes
  return {
    rehearsalId: row.rehearsalId,
    state: row.state,
    createdAt: isoOf(row.createdAtMs),
    version: row.baseVersion + 1,
    sample: row.sample === null ? null : row.sample.length,
    rooms: {
      total: roomsOf(row),
      done: report.rooms,
      failed: report.failures.length,
      again: report.again
    },
    states: { done: report.states, skipped: report.skipped },
    estimateMs: estimateOf(row),
    bytes: { before: report.bytesBefore, after: report.bytesAfter },
    wakeMs: { mean: count === 0 ? 0 : rounded(totalMs / count), max: rounded(maxMs), roomId },
    failures: failedKinds(report).map(({ message, stack, first, rooms }) => ({
      message,
      stack,
      roomId: first.roomId,
      saveId: first.saveId,
      version: first.version,
      rooms
    })),
    failedRooms: report.failures.map((failure) => failure.roomId),
    diffs: report.diffs
  }
}

const roomsOf = ({ sample, total }: RehearsalRow): number => sample?.length ?? total.rooms

/** By what the rooms took until now; before the first one, by what their states take usually. */
const estimateOf = (row: RehearsalRow): number => {
  const { progress, total } = row
  const done = progress.report.rooms
  const left = Math.max(0, roomsOf(row) - done)
  if (isOver(row)) return 0
  if (done > 0) return Math.round((progress.ranMs / done) * left)
  const statesPerRoom = total.rooms === 0 ? 1 : 1 + total.saves / total.rooms
  return Math.round(left * statesPerRoom * MigrationLimits.rehearsedState.ms)
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10
