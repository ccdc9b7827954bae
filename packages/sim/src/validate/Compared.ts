import { median } from "../Statistics.ts"

/** What a service takes, as a plan says or as a load test measured it. */
export interface Taken {
  readonly cpuCores: number
  readonly memoryBytes: number
  readonly egressBytesPerSecond: number
}

/** One resource of both. */
export interface Compared {
  readonly resource: keyof Taken
  readonly planned: number
  /** The median of the loads. */
  readonly measured: number
  /** How far the plan is off, as a part of what was measured; below 0 = the plan has too little. */
  readonly off: number
  readonly kept: boolean
}

/** How far a plan may be off. */
const offMax = 0.2

const resources = ["cpuCores", "memoryBytes", "egressBytesPerSecond"] as const

export const compare = (planned: Taken, loads: ReadonlyArray<Taken>): ReadonlyArray<Compared> =>
  resources.map((resource) => {
    const measured = median(loads.map((load) => load[resource]))
    const off = planned[resource] / measured - 1
    return { resource, planned: planned[resource], measured, off, kept: Math.abs(off) <= offMax }
  })
