import { describe, expect, it } from "vitest"

import { Mismatch } from "../check/Expect.ts"
import type { Boundary } from "../sections/Row.ts"
import { atMost, dayMs, kilobytes } from "../sections/Units.ts"
import { type Sized, boundaryChecks, sideOf, sized } from "./Boundary.ts"
import { type Outcome, taken } from "./Outcome.ts"
import { testTrial, verdictOf } from "./TestTrial.ts"

const refused = { code: "E_TOO_LONG", close: "open" } as const
const chat: Boundary = {
  kind: "boundary",
  ids: ["limits.chat.bytes"],
  ...atMost(512, "bytes"),
  outcome: refused
}
const no: Outcome = { taken: false, refused }

/** A thing that holds one text, with rules of its own. */
const holding = (rule: (text: string) => { readonly keeps: string } | Outcome) => {
  let text: string | null = null
  return {
    attempt: (value: Sized): Promise<Outcome> => {
      const ruled = rule(value.text)
      if ("taken" in ruled) return Promise.resolve(ruled)
      text = ruled.keeps
      return Promise.resolve(taken)
    },
    intact: (inForce: Sized | null): Promise<void> =>
      text === (inForce?.text ?? null)
        ? Promise.resolve()
        : Promise.reject(
            new Mismatch("the value in force", { expected: inForce?.size, actual: text?.length })
          )
  }
}
const byBytes = (max: number) => (text: string) =>
  Buffer.byteLength(text) <= max ? { keeps: text } : no

describe("bounds", () => {
  it("[conformance.families] pass an implementation that keeps the bound", async () => {
    expect(await verdictOf(boundaryChecks(testTrial(), chat, holding(byBytes(512))))).toBeNull()
  })

  it.each<[string, (text: string) => { readonly keeps: string } | Outcome]>([
    ["one less", byBytes(511)],
    ["one more", byBytes(513)],
    ["none", (text) => ({ keeps: text })],
    ["all refused", () => no],
    ["characters", (text) => ([...text].length <= 512 ? { keeps: text } : no)],
    ["UTF-16 units", (text) => (text.length <= 512 ? { keeps: text } : no)],
    ["trims", (text) => ({ keeps: Buffer.from(text).subarray(0, 512).toString() })],
    [
      "loses the old value",
      (text) => (Buffer.byteLength(text) <= 512 ? { keeps: text } : { keeps: "" })
    ],
    [
      "another code",
      (text) =>
        Buffer.byteLength(text) <= 512
          ? { keeps: text }
          : { taken: false, refused: { ...refused, code: "E_OTHER" } }
    ],
    [
      "closes the connection",
      (text) =>
        Buffer.byteLength(text) <= 512
          ? { keeps: text }
          : { taken: false, refused: { ...refused, close: 1008 } }
    ]
  ])("[conformance.families] find an implementation that breaks the bound: %s", async (_, rule) => {
    expect(await verdictOf(boundaryChecks(testTrial(), chat, holding(rule)))).not.toBeNull()
  })

  it("[conformance.families] find a refusal after which the old value is gone", async () => {
    const { attempt } = holding(byBytes(512))
    let held: string | null = null
    const forgets = {
      attempt: async (value: Sized): Promise<Outcome> => {
        const got = await attempt(value)
        held = got.taken ? value.text : null
        return got
      },
      intact: (inForce: Sized | null): Promise<void> =>
        held === (inForce?.text ?? null)
          ? Promise.resolve()
          : Promise.reject(new Mismatch("forgotten", { expected: 1, actual: 0 }))
    }
    expect(await verdictOf(boundaryChecks(testTrial(), chat, forgets))).toBe("forgotten")
  })

  const relay: Boundary = { kind: "boundary", ids: ["relay"], ...kilobytes(64), outcome: {} }
  const upTo = (max: number) => ({
    attempt: ({ size }: Sized): Promise<Outcome> => Promise.resolve(size <= max ? taken : no)
  })

  it("[T-KB] leave open what a kilobyte is, but not in strict runs", async () => {
    for (const max of [65_536, 65_000, 64_000]) {
      const lenient = testTrial({ strict: false })
      expect(await verdictOf(boundaryChecks(lenient, relay, upTo(max)))).toBeNull()
      expect(lenient.deviations.length > 0).toBe(max < 65_536)
      const strict = await verdictOf(boundaryChecks(testTrial(), relay, upTo(max)))
      expect(strict === null).toBe(max === 65_536)
    }
    for (const max of [63_999, 65_537]) {
      const lenient = testTrial({ strict: false })
      expect(await verdictOf(boundaryChecks(lenient, relay, upTo(max)))).not.toBeNull()
    }
  })

  it("[conformance.families] hold on the side of the least, too", async () => {
    const row: Boundary = {
      kind: "boundary",
      ids: ["vm"],
      unit: "count",
      outcome: {},
      accept: 4096,
      refuse: 4097,
      least: 128
    }
    const between = (min: number, max: number) => ({
      attempt: ({ size }: Sized): Promise<Outcome> =>
        Promise.resolve(size >= min && size <= max ? taken : no)
    })
    expect(await verdictOf(boundaryChecks(testTrial(), row, between(128, 4096)))).toBeNull()
    for (const [min, max] of [
      [127, 4096],
      [129, 4096],
      [128, 4095],
      [128, 4097]
    ] as const) {
      expect(await verdictOf(boundaryChecks(testTrial(), row, between(min, max)))).not.toBeNull()
    }
  })

  it("[conformance.families] try only sizes that can be written, and only as large as an attempt can be", async () => {
    const row: Boundary = {
      kind: "boundary",
      ids: ["duration.max.days"],
      unit: "ms",
      outcome: {},
      accept: 3650 * dayMs,
      refuse: 3651 * dayMs
    }
    const seen: Array<number> = []
    const attempt = ({ size }: Sized): Promise<Outcome> => {
      seen.push(size)
      return Promise.resolve(size <= 3650 * dayMs ? taken : no)
    }
    await boundaryChecks(testTrial(), row, { attempt, most: 4000 * dayMs })
    expect(seen).toContain(3650 * dayMs)
    expect(seen).toContain(3651 * dayMs)
    expect(seen.every((size) => size % dayMs === 0 && size <= 4000 * dayMs)).toBe(true)
  })

  it("[conformance.families] make texts of exactly a size", () => {
    for (const char of ["a", "é", "€", "🎲"]) {
      for (const size of [0, 1, 2, 3, 4, 5, 511, 512]) {
        expect(Buffer.byteLength(sized({ unit: "bytes" }, { size, char }).text)).toBe(size)
        expect([...sized({ unit: "chars" }, { size, char }).text].length).toBe(size)
        expect(sized({ unit: "utf16" }, { size, char }).text.length).toBe(size)
      }
    }
  })

  it("[conformance.families] know that a lower bound refuses the numbers below it", () => {
    const least: Boundary = {
      kind: "boundary",
      ids: ["vm.min"],
      unit: "count",
      outcome: {},
      accept: 128,
      refuse: 127
    }
    expect([126, 127, 128, 129].map((size) => sideOf(least, size))).toEqual([
      "refused",
      "refused",
      "taken",
      "taken"
    ])
  })
})
