import type { Scenario } from "../scenario/Scenario.ts"

/** Numbers of a scenario that an answer may depend on, by their path. */
const parameters: ReadonlyArray<string> = [
  "game.maxClients",
  "game.tickHz",
  "game.patchBytes",
  "game.up.hz",
  "game.up.bytes",
  "game.stateBytes",
  "game.durablePerPlayerHour",
  "game.hibernateAfter",
  "players.daily",
  "players.trough",
  "players.weekend",
  "session.minutes",
  "session.minutes.lognormal.0",
  "session.minutes.lognormal.1",
  "session.persistentRooms",
  "fleet.headroom"
]

/** Numbers that are counted: a tenth of them may be less than one. */
const whole = new Set(["game.maxClients", "game.tickHz"])

/** One parameter, a tenth less or more. */
export interface Varied {
  readonly parameter: string
  readonly less: Scenario
  readonly more: Scenario
  /** A tenth of the value in steps that were taken: less than 1 for a small whole number. */
  readonly part: number
}

/** The scenario with each of its parameters changed; those that are 0, or not there, are left out. */
export const variedScenarios = (scenario: Scenario): ReadonlyArray<Varied> => {
  const crowds = scenario.events.flatMap(({ kind }, at) =>
    kind === "flashCrowd" ? [`events.${at}.players`] : []
  )
  return [...parameters, ...crowds].flatMap((parameter) => {
    const value = valueAt(scenario, parameter)
    if (typeof value !== "number" || value === 0) return []
    const step = whole.has(parameter) ? Math.max(1, Math.round(value / 10)) : value / 10
    if (whole.has(parameter) && value - step < 1) return []
    return [
      {
        parameter,
        less: withValue(scenario, parameter, value - step),
        more: withValue(scenario, parameter, value + step),
        part: value / 10 / step
      }
    ]
  })
}

const valueAt = (scenario: Scenario, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, key) => (isObject(value) ? Reflect.get(value, key) : undefined),
      scenario
    )

const withValue = (scenario: Scenario, path: string, value: number): Scenario => {
  const copy = structuredClone(scenario)
  const keys = path.split(".")
  const owner = keys
    .slice(0, -1)
    .reduce<unknown>((each, key) => (isObject(each) ? Reflect.get(each, key) : undefined), copy)
  if (isObject(owner)) Reflect.set(owner, keys.at(-1) ?? "", value)
  return copy
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
