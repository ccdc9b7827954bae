import { RegionOffsetHours } from "../scenario/Regions.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import { LoadLimits } from "./LoadLimits.ts"

/** One phase: a straight line from where the phase before it ended. */
export interface LoadPhase {
  readonly name: string
  readonly durationMs: number
  /** Players, or joins in a second, at its end. */
  readonly target: number
}

/** A load test's course. Targets count as `arrival` says. */
export interface LoadPlan {
  readonly arrival: "players" | "joinsPerSecond"
  readonly phases: ReadonlyArray<LoadPhase>
}

export interface LoadExtent {
  /** Times the scenario's players. */
  readonly scale: number
  /** The length of the whole run; `null` = as the scenario says. */
  readonly forMs: number | null
}

/** The phases that `load` names; without it, phases that follow from `players` and `events`. */
export const loadPlan = (scenario: Scenario, extent: LoadExtent): LoadPlan => {
  const named = scenario.load
  if (named === undefined) {
    return {
      arrival: "players",
      phases: derivedPhases(scenario, {
        scale: extent.scale,
        forMs: extent.forMs ?? LoadLimits.runPreset.ms
      })
    }
  }
  const spanMs = named.stages.reduce((sum, { duration }) => sum + duration, 0)
  const stretch = extent.forMs === null || spanMs === 0 ? 1 : extent.forMs / spanMs
  return {
    arrival: named.arrival,
    phases: named.stages.map(({ duration, target }, index) => ({
      name: `stage ${index + 1}`,
      durationMs: duration * stretch,
      target: target * extent.scale
    }))
  }
}

/** Parts of a run without `load`. The crowd comes as fast as the scenario says, and within its part at most. */
const parts = { ramp: 0.2, before: 0.2, crowd: 0.2, after: 0.1 } as const

const derivedPhases = (
  scenario: Scenario,
  { scale, forMs }: { readonly scale: number; readonly forMs: number }
): ReadonlyArray<LoadPhase> => {
  const peak = Math.max(1, peakPlayers(scenario) * scale)
  const crowds = scenario.events.filter((event) => event.kind === "flashCrowd")
  const crowd = crowds.toSorted((a, b) => b.players - a.players)[0]
  const ramp = { name: "ramp up", durationMs: forMs * parts.ramp, target: peak }
  const end = { name: "ramp down", durationMs: forMs * parts.after, target: 0 }
  const heldMs = forMs - ramp.durationMs - end.durationMs
  if (crowd === undefined) {
    return [ramp, { name: "peak", durationMs: heldMs, target: peak }, end]
  }
  const most = peak + crowd.players * scale
  const beforeMs = forMs * parts.before
  const crowdMs = Math.min(crowd.over, forMs * parts.crowd)
  return [
    ramp,
    { name: "peak", durationMs: beforeMs, target: peak },
    { name: "flash crowd", durationMs: crowdMs, target: most },
    { name: "after the crowd", durationMs: heldMs - beforeMs - crowdMs, target: most },
    end
  ]
}

/** Minutes of a session, on average. */
const meanMinutes = ({ session: { minutes } }: Scenario): number => {
  if (typeof minutes === "number") return minutes
  const [median, sigma] = minutes.lognormal
  return median * Math.exp((sigma * sigma) / 2)
}

const minutesOfDay = 1440

/**
 * Players who are there at once at the busiest minute of the busiest day: those of a day by the wave of each
 * region, times the mean session (Little's law).
 */
export const peakPlayers = (scenario: Scenario): number => {
  const { daily, shape, trough, weekend, regions, peak } = scenario.players
  const meanAtOnce = (daily * Math.max(1, weekend) * meanMinutes(scenario)) / minutesOfDay
  if (shape === "flat") return meanAtOnce
  const shares = Object.entries(regions)
  const waveAt = (minuteUtc: number): number =>
    shares.reduce((sum, [name, share]) => {
      const offset = Object.entries(RegionOffsetHours).find(([region]) => region === name)?.[1] ?? 0
      const turn = ((minuteUtc + offset * 60 - peak) / minutesOfDay) * 2 * Math.PI
      return sum + share * (trough + ((1 - trough) * (1 + Math.cos(turn))) / 2)
    }, 0)
  const waves = Array.from({ length: minutesOfDay }, (_, minute) => waveAt(minute))
  const mean = waves.reduce((sum, each) => sum + each, 0) / minutesOfDay
  return (meanAtOnce * Math.max(...waves)) / mean
}

export const spanOf = ({ phases }: LoadPlan): number =>
  phases.reduce((sum, { durationMs }) => sum + durationMs, 0)

/** The greatest target of a plan. */
export const mostOf = ({ phases }: LoadPlan): number =>
  phases.reduce((most, { target }) => Math.max(most, target), 0)

/** A moment of a run: its phase, the target, and how much of the targets has passed. */
export interface LoadMoment {
  /** `null` = the run is over. */
  readonly phase: LoadPhase | null
  readonly target: number
  /** The area below the line so far: of joins in a second, the joins that are due. */
  readonly sum: number
}

/** The straight line through the targets, which starts at 0. */
export const momentAt = (plan: LoadPlan, elapsedMs: number): LoadMoment => {
  let [startMs, from, sum] = [0, 0, 0]
  for (const phase of plan.phases) {
    const { durationMs, target } = phase
    const passedMs = elapsedMs - startMs
    if (passedMs < durationMs) {
      const now = from + ((target - from) * passedMs) / durationMs
      return { phase, target: now, sum: sum + (((from + now) / 2) * passedMs) / 1000 }
    }
    sum += (((from + target) / 2) * durationMs) / 1000
    startMs += durationMs
    from = target
  }
  return { phase: null, target: from, sum }
}
