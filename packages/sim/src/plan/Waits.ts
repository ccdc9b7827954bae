import { MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"

import type { Calibration } from "../calibration/Calibration.ts"
import type { Minutes } from "./engine/Minutes.ts"

/** A lognormal wait: what is known of it is where its half and its hundredth part lie. */
interface Wait {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Of a standard normal: 99 of 100 are below it. */
const normalP99 = 2.3263478740408408

/** The part of waits below a time. */
const partBelow = ({ p50Ms, p99Ms }: Wait, ms: number): number => {
  const sigma = Math.log(p99Ms / p50Ms) / normalP99
  if (!(sigma > 0)) return ms >= p50Ms ? 1 : 0
  return normalPart(Math.log(ms / p50Ms) / sigma)
}

/** Abramowitz and Stegun 26.2.17: within 7.5e-8. */
const normalPart = (z: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial
  return z >= 0 ? 1 - above : above
}

interface Joins {
  readonly minutes: Minutes
  readonly calibration: Calibration
  /** Cores of all machines that are busy. */
  readonly cores: number
}

/** Waits get as long as the CPU that is left gets short; a machine that is full for a minute makes them this long. */
const slowestFactor = 60

/**
 * The time within which 99 of 100 joins of a run are done: those into rooms that are awake and those that
 * start a room have their measured waits, longer by 1 / (1 - use) of the CPU in their minute.
 */
export const joinP99Ms = ({ minutes, calibration, cores }: Joins): number => {
  const { latency } = calibration
  const awake: Wait = { p50Ms: latency.joinAwakeP50Ms, p99Ms: latency.joinAwakeP99Ms }
  const starts: Wait = { p50Ms: latency.wakeP50Ms, p99Ms: latency.wakeP99Ms }
  const byFactor = new Map<number, { joins: number; starts: number }>()
  const { joinsPerSecond, startingJoinsPerSecond, cpuCores } = minutes.columns
  for (let minute = 0; minute < minutes.count; minute++) {
    const joins = joinsPerSecond[minute] ?? 0
    if (joins === 0) continue
    const use = Math.min(1 - 1 / slowestFactor, (cpuCores[minute] ?? 0) / cores)
    const factor = Math.round(100 / (1 - use)) / 100
    const sum = byFactor.get(factor) ?? { joins: 0, starts: 0 }
    sum.joins += joins
    sum.starts += startingJoinsPerSecond[minute] ?? 0
    byFactor.set(factor, sum)
  }
  const all = [...byFactor.values()].reduce((sum, { joins }) => sum + joins, 0)
  if (all === 0) return 0
  const partDone = (ms: number): number =>
    [...byFactor].reduce(
      (sum, [factor, { joins, starts: started }]) =>
        sum +
        (joins - started) * partBelow(awake, ms / factor) +
        started * partBelow(starts, ms / factor),
      0
    ) / all
  let [below, above] = [0, MinuteMs]
  for (let round = 0; round < 40; round++) {
    const middle = (below + above) / 2
    if (partDone(middle) >= 0.99) above = middle
    else below = middle
  }
  return Math.round(above * SecondMs) / SecondMs
}
