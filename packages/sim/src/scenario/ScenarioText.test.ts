import { readFileSync } from "node:fs"
import { join } from "node:path"

import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isMap, isPair, isScalar, parseDocument, visit } from "yaml"

import type { ScenarioSource } from "./Scenario.ts"
import { printScenario, printWithComments, scenarioSource } from "./ScenarioPrint.ts"
import { readScenario } from "./ScenarioText.ts"

const arena = readFileSync(join(import.meta.dirname, "../../../../examples/sim/arena.yaml"), "utf8")

const least = `
game: { patchBytes: 420, up: { hz: 20, bytes: 24 }, stateBytes: 64KB }
players: { daily: 80000 }
session: { minutes: 18 }
fleet: { runner: { cores: 8, memory: 32GiB }, postgres: { writesPerSecond: 3000 } }
`

/** `line:column text`, for each problem. */
const problemsOf = (text: string): ReadonlyArray<string> =>
  Result.match(readScenario(text), {
    onSuccess: () => [],
    onFailure: (problems) => problems.map((each) => `${each.line}:${each.column} ${each.text}`)
  })

const read = (text: string) => Result.getOrThrow(readScenario(text))

describe("a scenario", () => {
  test("[sim.scenario] spells out what it leaves out", () => {
    expect(scenarioSource(read(least))).toEqual({
      game: {
        class: "standard",
        maxClients: 64,
        tickHz: 0,
        patchBytes: 420,
        up: { hz: 20, bytes: 24 },
        stateBytes: "64KB",
        durablePerPlayerHour: 0,
        hibernateAfter: "30s",
        retention: "forever",
        voice: { share: "0%", minutes: 0 }
      },
      players: {
        daily: 80000,
        peak: "20:00",
        shape: "diurnal",
        trough: "12%",
        weekend: 1,
        regions: { utc: "100%" },
        shared: { share: "3%", players: 1000 }
      },
      session: { minutes: 18, rejoinAfterDrop: "100%", persistentRooms: "0%" },
      events: [],
      plan: { tier: "free", allowances: {}, caps: {}, alertAt: "80%" },
      fleet: {
        runner: { cores: 8, memory: "32GB", perMonth: 0 },
        postgres: { writesPerSecond: 3000, perMonth: 0 },
        egressPerGB: 0,
        headroom: "30%"
      },
      slo: { joinP99: "1s", tickLate: "1%", failover: "5s" }
    })
  })

  test("[sim.scenario] is the example, and the same as JSON with tabs", () => {
    const scenario = read(arena)
    expect(scenario.events.map(({ kind }) => kind)).toEqual([
      "flashCrowd",
      "deploy",
      "killRunner",
      "runawayLoop"
    ])
    expect(scenario.plan.caps.dataOutBytes).toBe(40 * 1024 ** 4)
    expect(read(JSON.stringify(scenarioSource(scenario), null, "\t"))).toEqual(scenario)
  })

  const wrong: ReadonlyArray<readonly [change: readonly [string, string], problem: string]> = [
    [
      ["daily: 80000", "dayly: 80000, daily: 1"],
      "3:12 players.dayly: no such key; did you mean daily?"
    ],
    [["daily: 80000", ""], "3:1 players.daily: is missing. Players of a working day."],
    [
      ["daily: 80000", "daily: 0"],
      "3:12 players.daily: must be a whole number from 1 to 1000000000, not 0"
    ],
    [
      ["daily: 80000", "daily: 1, regions: { eu: 60%, us: 30% }"],
      '3:22 players.regions: must sum to 100%, not {"eu":"60%","us":"30%"}'
    ],
    [
      ["minutes: 18", "minutes: { lognormal: [18, 0.9, 3] }"],
      "4:44 session.minutes.lognormal[2]: must be left out: the list has too many items, not 3"
    ],
    [
      ["minutes: 18", "minutes: long"],
      '4:12 session.minutes: must be minutes, or { lognormal: [median in minutes, sigma] }, not "long"'
    ],
    [
      ["game: {", "game: { tickHz: 61,"],
      "2:9 game.tickHz: must be a whole number from 0 to 60, not 61"
    ],
    [
      ["game: {", "game: { class: big,"],
      '2:9 game.class: must be standard or large or xlarge, not "big"'
    ],
    [
      ["game: {", "game: { hibernateAfter: 25h,"],
      '2:9 game.hibernateAfter: must be a span from 0s to 1d, not "25h"'
    ],
    [["game: {", "game: { stateBytes: 1,"], "2:68 Map keys must be unique"],
    [["fleet:", "flet:"], "5:1 flet: no such key; did you mean fleet?"],
    [
      ["fleet:", "zebra: 3\nfleet:"],
      "5:1 zebra: no such key; known keys are game, players, session, events, plan, fleet, slo, load"
    ],
    [
      ["fleet:", "events: [{ kind: deploy, at: day 31 }]\nfleet:"],
      '5:26 events[0].at: must be one of the plan\'s 30 days, not "day 31"'
    ],
    [
      ["fleet:", "events: [{ kind: deploi, at: day 3 }]\nfleet:"],
      '5:10 events[0]: must be an event: kind is flashCrowd, deploy, killRunner or runawayLoop, not {"kind":"deploi","at":"day 3"}'
    ],
    [
      ["fleet:", "load: { stages: [] }\nfleet:"],
      "5:9 load.stages[0]: is missing. The phases, one after another; the first starts at 0."
    ],
    [
      [
        "fleet:",
        "load: { stages: [{ duration: 1m, target: 9 }], thresholds: { joinMs: [p99<1] } }\nfleet:"
      ],
      '5:71 load.thresholds.joinMs[0]: must be a condition such as p(99)<1000, avg<200 or max<=5000, not "p99<1"'
    ],
    [
      [
        "fleet:",
        "load: { stages: [{ duration: 1m, target: 9 }], thresholds: { refused: [max<1] } }\nfleet:"
      ],
      '5:72 load.thresholds.refused[0]: must be a condition such as rate<0.01 or count<=5, not "max<1"'
    ],
    [
      ["fleet:", "plan: *tier\nfleet:"],
      "1:1 Unresolved alias (the anchor must be set before the alias): tier"
    ]
  ]
  test.each(wrong)("[sim.scenario] refuses %j at its place", ([from, to], problem) => {
    expect(least).toContain(from)
    expect(problemsOf(least.replace(from, to))).toContain(problem)
  })

  test("[sim.scenario] the last day of the month that it names is one of its days", () => {
    const on = (day: number, month: string) =>
      problemsOf(`${least}plan: { month: ${month} }\nevents: [{ kind: deploy, at: day ${day} }]`)
    for (const [month, days] of [
      ["2026-12", 31],
      ["2026-02", 28],
      ["2028-02", 29]
    ] as const) {
      expect(on(days, month)).toEqual([])
    }
    expect(on(29, "2026-02")).toHaveLength(1)
    expect(on(30, "2028-02")).toHaveLength(1)
    expect(on(1, "2026-13")).toHaveLength(1)
  })

  test("[sim.scenario] is an object, whatever else the file holds", () => {
    for (const text of ["", "- 1", "3", "text"]) {
      expect(problemsOf(text)[0]).toMatch(
        /^1:1 the scenario: must be an object with game, players,/
      )
    }
    expect(problemsOf("a: [")[0]).toMatch(/^1:5 Flow sequence/)
    expect(problemsOf("a: !!secret 3")[0]).toMatch(/^1:4 Unresolved tag/)
    expect(problemsOf("a: 1\n---\nb: 2")).toHaveLength(1)
  })
})

const bytes = fc.oneof(
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 8191 }).map((count) => `${count}TB`)
)
const span = fc.tuple(fc.integer({ min: 1, max: 3650 }), fc.constantFrom("ms", "s", "m", "h", "d"))
const spanText = span.map(([count, name]) => `${count}${name}`)
const share = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.integer({ min: 0, max: 100 }).map((count) => `${count}%`)
)
const at = fc
  .tuple(fc.constantFrom("day 1", "day 30", "sat", "wed"), fc.constantFrom("", " 00:00", " 23:59"))
  .map(([date, time]) => date + time)
const event = fc.oneof(
  fc.record({ kind: fc.constantFrom("deploy" as const, "killRunner" as const), at }),
  fc.record({
    kind: fc.constant("runawayLoop" as const),
    at,
    rooms: fc.integer({ min: 1, max: 99 })
  }),
  fc.record({
    kind: fc.constant("flashCrowd" as const),
    at,
    players: fc.integer({ min: 1, max: 99 }),
    over: spanText
  })
)
const eu = fc.integer({ min: 0, max: 100 })

const source: fc.Arbitrary<ScenarioSource> = fc.record(
  {
    game: fc.record(
      {
        class: fc.constantFrom("standard" as const, "large" as const),
        maxClients: fc.integer({ min: 1, max: 1024 }),
        tickHz: fc.integer({ min: 0, max: 60 }),
        patchBytes: bytes,
        up: fc.record({ hz: fc.integer({ min: 0, max: 60 }), bytes }),
        stateBytes: bytes,
        voice: fc.record(
          { share, minutes: fc.integer({ min: 0, max: 1440 }) },
          { requiredKeys: [] }
        )
      },
      { requiredKeys: ["patchBytes", "up", "stateBytes"] }
    ),
    players: fc.record(
      {
        daily: fc.integer({ min: 1, max: 1e9 }),
        peak: fc.constantFrom("00:00", "08:05", "23:59"),
        regions: eu.map((part) => ({ eu: `${part}%`, us: `${100 - part}%` }))
      },
      { requiredKeys: ["daily"] }
    ),
    session: fc.record({
      minutes: fc.oneof(
        fc.integer({ min: 0, max: 1440 }),
        fc
          .tuple(fc.integer({ min: 0, max: 99 }), fc.double({ min: 0, max: 5, noNaN: true }))
          .map(([median, sigma]) => ({ lognormal: [median, sigma] as const }))
      )
    }),
    events: fc.array(event, { maxLength: 4 }),
    plan: fc.record({
      allowances: fc.record({ roomHours: fc.nat(), storageBytes: bytes }, { requiredKeys: [] }),
      caps: fc.record({ dataOutBytes: bytes }, { requiredKeys: [] }),
      alertAt: share
    }),
    fleet: fc.record({
      runner: fc.record({ cores: fc.integer({ min: 1, max: 64 }), memory: bytes }),
      postgres: fc.record({ writesPerSecond: fc.integer({ min: 0, max: 9999 }) })
    }),
    slo: fc.record({ joinP99: spanText, tickLate: share }, { requiredKeys: [] }),
    load: fc.record({
      stages: fc.array(fc.record({ duration: spanText, target: fc.nat(999) }), {
        minLength: 1,
        maxLength: 3
      }) as fc.Arbitrary<[{ duration: string; target: number }]>,
      thresholds: fc.record({ joinMs: fc.constant(["p(99)<1000"] as const) }, { requiredKeys: [] })
    })
  },
  { requiredKeys: ["game", "players", "session", "fleet"] }
)

test("[sim.scenario] a printed scenario reads as the same one, with comments as well", () => {
  fc.assert(
    fc.property(source, (written) => {
      const scenario = read(JSON.stringify(written))
      expect(read(printScenario(scenario))).toEqual(scenario)
      const remarks = new Map([["players.daily", "A remark: with # and { signs."]])
      const commented = printWithComments(scenario, { head: "A\nB", remarks })
      expect(read(commented)).toEqual(scenario)
      expect(commented).toContain("A remark: with # and { signs.")
    }),
    { numRuns: 60 }
  )
})

/** Every key of the example: where it begins, and its name. */
const keys: Array<{ readonly offset: number; readonly name: string }> = []
visit(parseDocument(arena), {
  Map: (_, map) => {
    for (const pair of map.items) {
      if (!isPair(pair) || !isScalar(pair.key) || pair.key.range === undefined) continue
      // Without its kind an event is none: that is said, and not which keys it might have had.
      const name = String(pair.key.value)
      if (name !== "kind" && name !== "lognormal")
        keys.push({ offset: pair.key.range?.[0] ?? 0, name })
    }
  }
})

test("[sim.scenario] a misspelt key is refused by name, at its place, with the key that was meant", () => {
  expect(keys.length).toBeGreaterThan(35)
  expect(isMap(parseDocument(arena).contents)).toBe(true)
  fc.assert(
    fc.property(
      fc.constantFrom(...keys),
      fc.nat(),
      fc.tuple(fc.constantFrom(..."zqx"), fc.boolean()),
      ({ offset, name }, seed, [letter, replaces]) => {
        const place = seed % name.length
        // A letter that no key of two letters has: no other key is as near.
        const misspelt = name.slice(0, place) + letter + name.slice(place + (replaces ? 1 : 0))
        fc.pre(misspelt !== name)
        const text = arena.slice(0, offset) + misspelt + arena.slice(offset + name.length)
        const line = arena.slice(0, offset).split("\n").length
        const problems = problemsOf(text).filter((each) => each.includes("no such key"))
        expect(problems).toHaveLength(1)
        expect(problems[0]).toMatch(
          new RegExp(`^${line}:\\d+ .*\\b${misspelt}: no such key; did you mean ${name}\\?$`)
        )
      }
    ),
    { numRuns: 300 }
  )
})
