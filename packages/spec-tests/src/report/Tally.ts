import { type Verdict, type VerdictStatus, verdictStatuses } from "../engine/Verdict.ts"
import { areaOf } from "../sections/Requirement.ts"
import type { Footer } from "./ReportLine.ts"

/** Why a report is not of a whole run; null = it is. */
export const cutText = (footer: Footer | null): string | null => {
  if (footer === null) return "the run crashed, or its report was cut"
  return footer.end === "interrupted" ? "the run was interrupted" : null
}

export type Counts = ReadonlyMap<VerdictStatus, number>

/** How many of each status there are. */
export const counted = (verdicts: ReadonlyArray<Verdict>): Counts => {
  const counts = new Map<VerdictStatus, number>()
  for (const { status } of verdicts) counts.set(status, (counts.get(status) ?? 0) + 1)
  return counts
}

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

/** Requirements that nothing asks, whatever the implementation declares. */
const uncheckedOf = (verdicts: ReadonlyArray<Verdict>): ReadonlyArray<Verdict> =>
  verdicts.filter(
    ({ status, checks }) =>
      checks.length === 0 && (status === "unsupported" || status === "untestable")
  )

/** Says that a run is no proof: it declares features of which the suite asks nothing. Null = it does not. */
export const claimText = (verdicts: ReadonlyArray<Verdict>): string | null => {
  const claimed = uncheckedOf(verdicts).filter(({ status }) => status === "untestable")
  return claimed.length === 0
    ? null
    : `This is not a pass: ${claimed.length} requirements of declared features have no check yet. Nobody knows whether they hold.`
}

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
  const unchecked = uncheckedOf(verdicts).length
  const noCheck = unchecked === 0 ? "" : `; ${unchecked} have no check yet`
  return `${verdicts.length} requirements: ${parts.join(", ")}${noCheck}`
}

const percent = (count: number, of: number): string =>
  of === 0 ? "0 %" : `${((100 * count) / of).toFixed(1)} %`
