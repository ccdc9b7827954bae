import { FleetLimits } from "./FleetLimits.ts"

export const RunnerStatuses = ["open", "cordoned", "draining", "drained", "gone"] as const
export type RunnerStatus = (typeof RunnerStatuses)[number]

export const RunnerOrders = ["cordon", "drain", "uncordon"] as const
export type RunnerOrder = (typeof RunnerOrders)[number]

/** The name of a runner without an address: it is the only one of its service. */
export const aloneName = "alone"

/** Whether a text can name a runner: an address, or {@link aloneName}. */
export const isRunnerName = (text: string): boolean => /^[!-~]+$/.test(text)

/** What an operator has ordered of a runner. A drain is a cordon that empties the runner, too. */
export const RunnerSettings = ["open", "cordoned", "draining"] as const
export type RunnerSetting = (typeof RunnerSettings)[number]

export const settingOf: Readonly<Record<RunnerOrder, RunnerSetting>> = {
  cordon: "cordoned",
  drain: "draining",
  uncordon: "open"
}

/** The status that the fleet shows of a runner. */
export const runnerStatus = (runner: {
  readonly setting: RunnerSetting
  readonly rooms: number
  readonly silentMs: number
}): RunnerStatus => {
  if (runner.silentMs >= FleetLimits.runnerSilent.ms) return "gone"
  return runner.setting === "draining" && runner.rooms === 0 ? "drained" : runner.setting
}

/**
 * Whether a runner takes a room that has no place yet: `open`; `elsewhere` = it does not, and another
 * runner does; `closed` = no runner does.
 */
export type RunnerIntake = "open" | "elsewhere" | "closed"

export const runnerIntake = (runner: {
  readonly setting: RunnerSetting
  /** Another runner is open. */
  readonly others: boolean
}): RunnerIntake => {
  if (runner.setting === "open") return "open"
  return runner.others ? "elsewhere" : "closed"
}
