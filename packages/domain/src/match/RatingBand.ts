import { QueueLimits } from "./QueueLimits.ts"

/**
 * How far the rating of somebody may be away whom a ticket meets: 100 at first, 100 more after each 5 s, and without
 * bounds from 60 s on. Spec: Skill rating limits.
 */
export const bandOf = (waitedMs: number): number => {
  const { bandStart, bandGrowth, bandStep, bandEnds } = QueueLimits
  if (waitedMs >= bandEnds.ms) return Infinity
  return bandStart.max + bandGrowth.max * Math.floor(Math.max(0, waitedMs) / bandStep.ms)
}
