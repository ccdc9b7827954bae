import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { faultOf } from "../testing/FaultOf.ts"
import { Queues } from "./Queues.ts"

const faultOfQueue = (queue: unknown): string | null => faultOf(Queues, { ranked: queue })
const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))
const named = (count: number) => Object.fromEntries(times(count, (index) => [`q${index}`, {}]))

test("[T-17] the size of a queue is 2 to 64", () => {
  const taken = times(70, (size) => size).filter((size) => faultOfQueue({ size }) === null)
  expect([taken.at(0), taken.at(-1), taken.length]).toEqual([2, 64, 63])
})

describe("queues that are taken", () => {
  test.each<readonly [id: string, queue: unknown]>([
    ["queues.empty-clears", {}],
    ["queues.size.min", { size: 2 }],
    ["queues.size.max", { size: 64 }],
    ["queues.skill.boolean", { skill: true }],
    ["queues.skill.boolean", { size: 4, skill: false }],
    ["queues.teams.shape", { teams: [{ size: 2 }, { size: 2 }] }],
    ["queues.teams.shape", { teams: [{ minSize: 2 }, { minSize: 2 }] }],
    ["queues.teams.shape", { teams: [{ maxSize: 2 }, { maxSize: 2 }] }],
    ["queues.teams.shape", { teams: [{ count: 2 }] }],
    ["queues.teams.shape", { teams: [{ fill: true }, { fill: false }] }],
    ["queues.teams.shape", { teams: [{ minSize: 1, size: 2, maxSize: 3, count: 2, fill: true }] }],
    ["queues.teams.limits", { skill: true, teams: [{ size: 1 }, { size: 32 }] }],
    ["queues.teams.limits", { teams: [{ count: 16, size: 4 }] }],
    ["queues.teams.limits", { teams: times(16, () => ({})) }],
    ["queues.teams.limits", { teams: [{ size: 32, count: 2 }] }],
    ["C-69", { teams: [{ minSize: 3, size: 3, maxSize: 3, count: 2 }] }]
  ])("[%s] %j", (_id, queue) => {
    expect(faultOfQueue(queue)).toBeNull()
    expect(Schema.decodeUnknownSync(Queues)({ ranked: queue })).toEqual({ ranked: queue })
  })
})

const aSize = "must be a whole number from 2 to 64"
const aTeamSize = "must be a whole number from 1 to 32"
const aFlag = "must be true or false"

describe("queues that are refused, by their name", () => {
  test.each<readonly [id: string, queue: unknown, fault: string]>([
    ["queues.size.min", { size: 1 }, `size: ${aSize}`],
    ["queues.size.min", { size: 0 }, `size: ${aSize}`],
    ["queues.size.min", { size: -2 }, `size: ${aSize}`],
    ["queues.size.min", { size: 2.5 }, `size: ${aSize}`],
    ["queues.size.min", { size: "2" }, `size: ${aSize}`],
    ["queues.size.min", { size: null }, `size: ${aSize}`],
    ["queues.size.max", { size: 65 }, `size: ${aSize}`],
    ["queues.size.max", { size: 1e300 }, `size: ${aSize}`],
    ["queues.skill.boolean", { skill: "yes" }, `skill: ${aFlag}`],
    ["queues.skill.boolean", { skill: 1 }, `skill: ${aFlag}`],
    ["queues.skill.boolean", { skill: null }, `skill: ${aFlag}`],
    ["queues.teams.shape", { teams: {} }, "teams: must be an array of teams"],
    ["queues.teams.shape", { teams: [3, 3] }, "teams: 0: must be a team: an object"],
    [
      "queues.teams.shape",
      { teams: [{ colour: "red" }, {}] },
      "teams: 0: colour: Expected no excess property"
    ],
    ["queues.teams.shape", { teams: [{ fill: 1 }, {}] }, `teams: 0: fill: ${aFlag}`],
    ["queues.teams.limits", { teams: [{}, { size: 0 }] }, `teams: 1: size: ${aTeamSize}`],
    ["queues.teams.limits", { teams: [{}, { size: 33 }] }, `teams: 1: size: ${aTeamSize}`],
    ["queues.teams.limits", { teams: [{}, { minSize: 0 }] }, `teams: 1: minSize: ${aTeamSize}`],
    ["queues.teams.limits", { teams: [{}, { maxSize: 33 }] }, `teams: 1: maxSize: ${aTeamSize}`],
    ["queues.teams.limits", { teams: [] }, "teams: must be 2 to 16 teams, not 0"],
    ["queues.teams.limits", { teams: [{ size: 2 }] }, "teams: must be 2 to 16 teams, not 1"],
    [
      "queues.teams.limits",
      { teams: times(17, () => ({})) },
      "teams: must be 2 to 16 teams, not 17"
    ],
    [
      "queues.teams.limits",
      { teams: [{ count: 17 }] },
      "teams: 0: count: must be a whole number from 1 to 16"
    ],
    ["queues.teams.limits", { teams: [{ count: 16 }, {}] }, "teams: must be 2 to 16 teams, not 17"],
    [
      "queues.teams.limits",
      { teams: [{ size: 32, count: 2 }, {}] },
      "teams: must seat at most 64 players, not 65"
    ],
    [
      "queues.teams.limits",
      { teams: [{ size: 4, maxSize: 13, count: 5 }] },
      "teams: must seat at most 64 players, not 65"
    ],
    [
      "C-69",
      { teams: [{ minSize: 3, maxSize: 2 }, {}] },
      "teams: 0: minSize, size and maxSize must not fall"
    ],
    [
      "C-69",
      { teams: [{ size: 3, maxSize: 2 }, {}] },
      "teams: 0: minSize, size and maxSize must not fall"
    ],
    [
      "C-69",
      { teams: [{ minSize: 4, size: 3 }, {}] },
      "teams: 0: minSize, size and maxSize must not fall"
    ],
    [
      "queues.size-and-teams-refused",
      { size: 4, teams: [{ count: 2 }] },
      "size and teams exclude each other"
    ],
    ["file.validate.queues", { sice: 2 }, "sice: Expected no excess property"],
    ["file.validate.queues", null, "must be a queue: an object"],
    ["file.validate.queues", [], "must be a queue: an object"],
    ["file.validate.queues", 2, "must be a queue: an object"]
  ])("[%s] %j", (_id, queue, fault) => {
    expect(faultOfQueue(queue)).toBe(`ranked: ${fault}`)
  })
})

describe("the map", () => {
  test("[queues.max-32] [limits.queues] 32 queues are taken, the 33rd is not", () => {
    expect(faultOf(Queues, named(32))).toBeNull()
    expect(faultOf(Queues, named(33))).toBe("at most 32 queues")
  })

  test.each(["[]", "null", "3", '"x"', "true"])("[file.queues.type] %s is none", (text) => {
    expect(faultOf(Queues, JSON.parse(text))).toBe("must be an object of queues by name")
  })

  test.each(["a", "9", "a-b_c.d", "-", "__proto__", "constructor", "q".repeat(32)])(
    "[match.queue-name.length] %s is a name",
    (name) => {
      const map: unknown = JSON.parse(`{"${name}":{"size":3}}`)
      expect(faultOf(Queues, map)).toBeNull()
      // What is decoded holds it under that very name, not in a prototype.
      const decoded = Schema.decodeUnknownSync(Queues)(map)
      expect(JSON.stringify(decoded)).toBe(`{"${name}":{"size":3}}`)
    }
  )

  test.each(["", "A", "a b", "a/b", "ä", "a\n", "😀", "q".repeat(33)])(
    "[match.queue-name.length] %j is none",
    (name) => {
      expect(faultOf(Queues, { fine: {}, [name]: {} })).toBe(
        `${name}: a name has 1 to 32 of a-z 0-9 . _ -`
      )
    }
  )
})

const anyJson = fc.oneof(fc.jsonValue(), fc.integer({ min: 0, max: 66 }), fc.boolean())
const anyTeam = fc.dictionary(
  fc.constantFrom("size", "minSize", "maxSize", "count", "fill", "other"),
  anyJson
)
const anyQueue = fc.oneof(
  fc.record({ size: anyJson, skill: anyJson }, { requiredKeys: [] }),
  fc.record({ teams: fc.array(anyTeam, { maxLength: 18 }), skill: anyJson }, { requiredKeys: [] })
)

test("[D-33] every accepted declaration keeps every bound", () => {
  const isQueues = Schema.decodeUnknownSync(Queues)
  let taken = 0
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(anyQueue, anyJson)), (map) => {
      if (faultOf(Queues, map) !== null) return
      taken++
      for (const { size, teams } of Object.values(isQueues(map))) {
        expect(size !== undefined && teams !== undefined).toBe(false)
        if (size !== undefined) expect(size >= 2 && size <= 64).toBe(true)
        if (teams === undefined) continue
        const count = teams.reduce((total, team) => total + (team.count ?? 1), 0)
        expect(count >= 2 && count <= 16).toBe(true)
      }
    }),
    { numRuns: 500 }
  )
  expect(taken).toBeGreaterThan(0)
})
