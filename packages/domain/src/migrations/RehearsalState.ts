import { Schema } from "effect"

/**
 * How far a rehearsal is. `stopped`: it can go on. `passed` and `failed`: it is through. `outdated`: another
 * version was deployed meanwhile, so that it says nothing. Source: C-711.
 */
export const RehearsalState = Schema.Literals([
  "running",
  "stopped",
  "passed",
  "failed",
  "outdated"
])
export type RehearsalState = typeof RehearsalState.Type
