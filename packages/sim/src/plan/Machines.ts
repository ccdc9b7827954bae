import type { Calibration } from "../calibration/Calibration.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import type { Column } from "./engine/Minutes.ts"

/** What a machine runs out of. */
export const Resources = ["cpu", "serviceThread", "memory"] as const
export type Resource = (typeof Resources)[number]

interface Priced {
  readonly scenario: Scenario
  readonly calibration: Calibration
}

/** What one machine has for rooms and players: without headroom, and without what an idle runner takes. */
export const usableOf = ({ scenario, calibration }: Priced): Record<Resource, number> => {
  const { runner, headroom } = scenario.fleet
  const { cpu, memory } = calibration
  return {
    cpu: runner.cores * (1 - headroom) - cpu.runnerIdleCores,
    serviceThread: 1 - headroom - cpu.runnerIdleCores,
    memory: runner.memory * (1 - headroom) - memory.runnerBytes
  }
}

/** Machines, in parts, that a minute needs of each resource. */
export const machineNeeds = (
  priced: Priced,
  minute: Readonly<Pick<Record<Column, number>, "cpuCores" | "serviceCores" | "memoryBytes">>
): Record<Resource, number> => {
  const usable = usableOf(priced)
  return {
    cpu: minute.cpuCores / usable.cpu,
    serviceThread: minute.serviceCores / usable.serviceThread,
    memory: minute.memoryBytes / usable.memory
  }
}

export const mostOf = (needs: Record<Resource, number>): number =>
  Math.max(needs.cpu, needs.serviceThread, needs.memory)

/** Whole machines: those that carry the busiest minute, at least one, and one spare. */
export const machinesOf = (need: number): { readonly busy: number; readonly all: number } => {
  const busy = Math.max(1, Math.ceil(need))
  return { busy, all: busy + 1 }
}
