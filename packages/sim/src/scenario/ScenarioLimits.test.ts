import { Option, Result } from "effect"
import { describe, expect, test } from "vitest"

import { ScenarioLimits } from "./ScenarioLimits.ts"
import { readScenario } from "./ScenarioText.ts"

/** A scenario with one value set; a list in the path is made where it is missing. */
const withValue = (path: string, value: unknown): string => {
  const scenario: Record<string, unknown> = {
    game: { patchBytes: 420, up: { hz: 20, bytes: 24 }, stateBytes: "64KB" },
    players: { daily: 80_000 },
    session: { minutes: 18 },
    fleet: { runner: { cores: 8, memory: "32GB" }, postgres: { writesPerSecond: 3000 } }
  }
  const [last = "", ...before] = path.split(".").toReversed()
  let section = scenario
  for (const name of before.toReversed()) {
    // Every section of a path is an object, or is made one here.
    section = (section[name] ??= {}) as Record<string, unknown>
  }
  section[last] = value
  // JSON is YAML, too.
  return JSON.stringify(scenario)
}

const deploy = { kind: "deploy", at: "day 1" }
const crowd = (players: number) => ({ kind: "flashCrowd", at: "day 1", players, over: "4m" })
const loop = (rooms: number) => ({ kind: "runawayLoop", at: "day 1", rooms })
const load = (target: number) => ({ stages: [{ duration: "1m", target }] })

/** All but the aliases, which are no value. */
type Row = Exclude<keyof typeof ScenarioLimits, "aliases">

/** Where each row bounds a value, how the value is written, and one past it. */
const places: Readonly<
  Record<Row, ReadonlyArray<readonly [path: string, at: unknown, past: unknown]>>
> = {
  players: [
    ["players.daily", 1e9, 1e9 + 1],
    ["players.daily", 1, 0],
    ["events", [crowd(1e9)], [crowd(1e9 + 1)]]
  ],
  rooms: [["events", [loop(1e6)], [loop(1e6 + 1)]]],
  sentHz: [["game.up", { hz: 60, bytes: 1 }, { hz: 60.01, bytes: 1 }]],
  durableCalls: [["game.durablePerPlayerHour", 1e6, 1e6 + 1]],
  sessionMinutes: [
    ["session.minutes", 1440, 1441],
    ["session.minutes", { lognormal: [1440, 1] }, { lognormal: [1441, 1] }],
    ["game.voice.minutes", 1440, 1441]
  ],
  sessionSigma: [["session.minutes", { lognormal: [9, 5] }, { lognormal: [9, 5.01] }]],
  weekend: [["players.weekend", 100, 101]],
  events: [["events", Array(1000).fill(deploy), Array(1001).fill(deploy)]],
  cap: [
    ["plan.caps.roomHours", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1],
    ["plan.caps.voiceMinutes", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]
  ],
  allowance: [
    ["plan.allowances.roomHours", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1],
    ["plan.allowances.voiceMinutes", 0, -1]
  ],
  cores: [["fleet.runner.cores", 1024, 1025]],
  price: [
    ["fleet.runner.perMonth", 1e9, 1e9 + 1],
    ["fleet.postgres.perMonth", 1e9, 1e9 + 1]
  ],
  egressPrice: [["fleet.egressPerGB", 1e6, 1e6 + 1]],
  storeWrites: [["fleet.postgres.writesPerSecond", 1e9, 1e9 + 1]],
  loadTarget: [["load", load(1e6), load(1e6 + 1)]],
  span: [
    ["slo.failover", "315360000s", "315360001s"],
    ["slo.failover", "3650d", "3651d"]
  ]
}

/** The rest of a scenario that has nothing to refuse. */
const least = withValue("slo.failover", "5s").slice(1)

describe("the limits of a scenario", () => {
  test("[limits.sim] the table has every row", () => {
    expect([...Object.keys(places), "aliases"].toSorted()).toEqual(
      Object.keys(ScenarioLimits).toSorted()
    )
  })

  const cases = Object.values(places).flatMap((of) =>
    of.map(([path, at, past]) => ({ path, at, past }))
  )
  test.each(cases)("[limits.sim] takes $path at its bound and names it past that", (place) => {
    const { path, at, past } = place
    expect(Result.isSuccess(readScenario(withValue(path, at)))).toBe(true)
    const refused = Result.getFailure(readScenario(withValue(path, past)))
    expect(Option.getOrThrow(refused)[0]?.text.startsWith(path)).toBe(true)
  })

  test("[limits.sim] takes a value at 100 places by aliases, and at not one more", () => {
    const inPlaces = (count: number) =>
      readScenario(
        `{"events": [&deploy {"kind": "deploy", "at": "day 1"}${", *deploy".repeat(count - 1)}], ${least}`
      )
    expect(Result.isSuccess(inPlaces(ScenarioLimits.aliases.max))).toBe(true)
    const refused = Result.getFailure(inPlaces(ScenarioLimits.aliases.max + 1))
    expect(Option.getOrThrow(refused)[0]?.text).toMatch(/^Excessive alias count/)
  })
})
