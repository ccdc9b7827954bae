import { HourMs } from "@atrium/wire/limits/Limit"

import type { Timeline } from "./Timeline.ts"

/** Ids are kept for 24 hours. A room repeats nothing that is nearly so old. Source: D-34, C-593. */
const repeatsForMs = 20 * HourMs

/** One thing that a room tells the service by an id, once or several times. */
export interface Told {
  /** When it was told first, by the service's clock and by the machine's. */
  readonly firstAtMs: number
  readonly firstMachineMs: number
  /** How often it was told, and how often that was refused. */
  sent: number
  refused: number
  acknowledged: boolean
}

export const toldNow = ({ nowMs, machineMs }: Timeline): Told => ({
  firstAtMs: nowMs,
  firstMachineMs: machineMs,
  sent: 1,
  refused: 0,
  acknowledged: false
})

export const mayRepeat = ({ nowMs }: Timeline, { firstAtMs }: Told): boolean =>
  nowMs - firstAtMs < repeatsForMs

/** It was told again and the clock has gone so far that the service may have forgotten the id meanwhile. */
export const mayBeForgotten = ({ jumps }: Timeline, { sent, firstMachineMs }: Told): boolean => {
  const forwardMs = jumps
    .filter(({ atMs, ms }) => ms > 0 && atMs >= firstMachineMs)
    .reduce((sum, { ms }) => sum + ms, 0)
  return sent > 1 && forwardMs >= repeatsForMs
}
