import { DayMs, span } from "@atrium/wire/limits/Limit"

/** Rooms that are made from saves. */
export const BranchLimits = {
  branchKept: span("A branch from its last use (D-58)", {
    ms: 7 * DayMs,
    per: "branch",
    past: "it is deleted at the next sweep, unless its retention was set"
  })
} as const
