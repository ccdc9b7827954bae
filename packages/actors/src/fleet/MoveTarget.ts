import { runnerStatus } from "@atrium/domain/fleet/RunnerStatus"

import type { RunnerRow } from "./FleetStore.ts"

/** Where a room is, and where the operator wants it. */
interface Wanted {
  /** The runner that has it; `null` = it is asleep, or that runner is not known. */
  readonly from: string | null
  /** The runner that was asked for; `null` = any other than `from`. */
  readonly to: string | null
}

/**
 * The runner that a room moves to. Of the runners that take rooms it is the one with the least load.
 * Source: C-419.
 * @returns `null` when no runner takes the room
 */
export const moveTarget = (
  runners: ReadonlyArray<RunnerRow>,
  { from, to }: Wanted
): string | null => {
  const open = runners.filter(
    (row) => runnerStatus(row) === "open" && (to === null ? row.runner !== from : row.runner === to)
  )
  const [least] = open.toSorted((one, other) => one.load - other.load)
  return least?.runner ?? null
}
