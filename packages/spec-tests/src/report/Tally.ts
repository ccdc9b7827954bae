import { type Verdict, type VerdictStatus, verdictStatuses } from "../engine/Verdict.ts"

export type Counts = ReadonlyMap<VerdictStatus, number>

/** How many of each status there are. */
export const counted = (verdicts: ReadonlyArray<Verdict>): Counts => {
  const counts = new Map<VerdictStatus, number>()
  for (const { status } of verdicts) counts.set(status, (counts.get(status) ?? 0) + 1)
  return counts
}

export const areaOf = (id: string): string => id.split(".")[0] ?? id

/** The verdicts of each area, areas in the order of the specification. */
export const byArea = (
  verdicts: ReadonlyArray<Verdict>
): ReadonlyMap<string, ReadonlyArray<Verdict>> => {
  const areas = new Map<string, Array<Verdict>>()
  for (const verdict of verdicts) {
    const area = areaOf(verdict.id)
    areas.set(area, [...(areas.get(area) ?? []), verdict])
  }
  return areas
}

/** Statuses that occur, in the order in which reports show them. */
export const occurring = (counts: Counts): ReadonlyArray<VerdictStatus> =>
  verdictStatuses.filter((status) => counts.has(status))

/** `674 requirements: 412 pass (61.1 %), …`. */
export const shareText = (verdicts: ReadonlyArray<Verdict>): string => {
  const counts = counted(verdicts)
  const shown = new Set<VerdictStatus>(["pass", "unsupported", "documented", ...occurring(counts)])
  const parts = verdictStatuses
    .filter((status) => shown.has(status))
    .map((status) => {
      const count = counts.get(status) ?? 0
      return `${count} ${status} (${percent(count, verdicts.length)})`
    })
  return `${verdicts.length} requirements: ${parts.join(", ")}`
}

const percent = (count: number, of: number): string =>
  of === 0 ? "0 %" : `${((100 * count) / of).toFixed(1)} %`
