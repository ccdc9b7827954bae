import { LoadLimits } from "./LoadLimits.ts"
import type { LoadMoment, LoadPlan } from "./LoadPlan.ts"

/** The players of a run, counted. */
export interface Crowd {
  /** Those who play or are about to. */
  readonly present: number
  /** Joins that were begun since the run began. */
  readonly started: number
  /** Players who were refused a while ago: nobody has come in their place yet. */
  readonly refused: number
}

/** How many players join now, and how many leave. */
export interface CrowdStep {
  readonly join: number
  readonly leave: number
}

/** What makes the crowd as large as the plan has it. */
export const crowdStep = (
  { arrival }: Pick<LoadPlan, "arrival">,
  { target, sum }: LoadMoment,
  { present, started, refused }: Crowd
): CrowdStep => {
  const places = LoadLimits.players.max - present
  if (arrival === "joinsPerSecond") {
    return { join: Math.max(0, Math.min(places, Math.floor(sum) - started)), leave: 0 }
  }
  const wanted = Math.min(LoadLimits.players.max, Math.round(target))
  return {
    join: Math.max(0, Math.min(places, wanted - present - refused)),
    leave: Math.max(0, present - wanted)
  }
}

/** Players who were refused so short a while ago that nobody has come in their place. */
export const refusedBefore = (refusedAtMs: ReadonlyArray<number>, nowMs: number): Array<number> =>
  refusedAtMs.filter((atMs) => nowMs - atMs < LoadLimits.again.ms)
