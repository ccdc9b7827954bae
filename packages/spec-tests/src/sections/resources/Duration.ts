import fc from "fast-check"

import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { type ProbeOf, manyAskedMs, type Probe } from "../../check/Check.ts"
import { same } from "../../check/Expect.ts"
import { forAll } from "../../check/ForAll.ts"
import { boundaryChecks } from "../../families/Boundary.ts"
import { outcomeOf } from "../../families/Outcome.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import { roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { badRequest } from "../Literals.ts"
import { section, tierA, rowOf } from "../Section.ts"
import { minuteMs, dayMs, hourMs } from "../Units.ts"

/** Sends a text where a duration is asked for. */
type Ask = (text: string) => Promise<HttpAnswer>

interface Place {
  readonly where: string
  readonly needs: ReadonlyArray<string>
  readonly open: (trial: Trial) => Promise<Ask>
  /** Requests that may be under way together. */
  readonly atOnce: number
}

/** Durations stand in a query and in a body: both are read by the same grammar. */
const filter: Place = {
  where: "the filter idle-longer-than",
  needs: [],
  atOnce: 8,
  open: async (trial) => {
    const project = await trial.project()
    return (text) => project.ask(`/rooms?idle-longer-than=${encodeURIComponent(text)}`)
  }
}

const retention: Place = {
  where: "the retention of a room",
  needs: ["fixture"],
  // An answer shows what another request to the same room has set meanwhile.
  atOnce: 1,
  open: async (trial) => {
    const stage = await roomStage(trial)
    await stage.client("kept")
    return async (text) => {
      const answer = await stage.patch("kept", { retention: text })
      const { retentionOverride } = Object(answer.json)
      if (answer.status < 300) {
        trial.chosen("D-08", () => same("the duration as it is shown", retentionOverride, text))
      }
      return answer
    }
  }
}

const units = { m: minuteMs, h: hourMs, d: dayMs } as const

type Unit = keyof typeof units

/** The check takes each good duration and refuses each malformed one that differs by a character. */
const takesNoNeighbours =
  ({ where, needs, open }: Place): ProbeOf =>
  (id) => ({
    title: `${where} takes ${rowOf("text", id).good.join(", ")}, and none of its malformed neighbours`,
    needs,
    timeoutMs: manyAskedMs,
    run: async (trial) => {
      const [ask, { good, bad, outcome }] = [await open(trial), rowOf("text", id)]
      for (const text of good) isSuccess(await ask(text))
      for (const text of bad) isRefusal(trial, await ask(text), { outcome })
    }
  })

/** @param decision whose choice the bound is; absent = the specification says it */
const isBounded =
  ({ where, needs, open }: Place, unit: Unit, decision?: string): ProbeOf =>
  (id) => ({
    title: `${where} is bounded, counted in ${unit}`,
    needs,
    timeoutMs: manyAskedMs,
    run: async (trial) => {
      const ask = await open(trial)
      await boundaryChecks(trial, rowOf("boundary", id), {
        attempt: async ({ size }) => outcomeOf(trial, await ask(`${size / units[unit]}${unit}`)),
        // From above only what is long enough: one of the unit and more.
        smallest: id === "duration.min" ? -Infinity : units[unit],
        ...(decision === undefined ? {} : { decision })
      })
    }
  })

const takesExactly = ({ where, needs, open, atOnce }: Place): Probe => ({
  name: "exactly",
  title: `${where} takes exactly the texts that are one integer and one unit`,
  needs,
  timeoutMs: manyAskedMs,
  run: async (trial) => {
    const ask = await open(trial)
    await forAll(trial, { of: texts, runs: 60, examples, atOnce }, async (text) => {
      const answer = await ask(text)
      const verdict = verdictOf(text)
      if (verdict === "taken") isSuccess(answer)
      const refused = () => isRefusal(trial, answer, rowOf("text", "duration.grammar"))
      if (verdict === "refused") refused()
      if (verdict === "chosen") trial.chosen("D-09", refused)
    })
  }
})

/** The verdict of the specification on a text; `chosen` = leading zeros, which Atrium refuses by choice. */
const verdictOf = (text: string): "taken" | "refused" | "chosen" => {
  const [, digits = "", unit = ""] = /^([0-9]+)([mhd])$/.exec(text) ?? []
  if (unit !== "m" && unit !== "h" && unit !== "d") return "refused"
  const ms = Number(digits) * units[unit]
  const [min, max] = [rowOf("boundary", "duration.min"), rowOf("boundary", "duration.max.days")]
  if (ms < min.accept || ms > max.accept) return "refused"
  return digits.startsWith("0") ? "chosen" : "taken"
}

const wellFormed = fc
  .record({
    count: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 6_000_000 })),
    unit: fc.constantFrom("m", "h", "d")
  })
  .map(({ count, unit }) => `${count}${unit}`)

/** One character more, less or other than in a duration. */
const neighbours = fc
  .record({
    text: wellFormed,
    at: fc.nat({ max: 8 }),
    drop: fc.nat({ max: 1 }),
    put: fc.constantFrom(
      "",
      " ",
      ".",
      "-",
      "+",
      "0",
      "1",
      "m",
      "s",
      "w",
      "M",
      "H",
      "e",
      "\n",
      "٣",
      "１"
    )
  })
  .map(({ text, at, drop, put }) => text.slice(0, at) + put + text.slice(at + drop))

const texts = fc
  .oneof(
    { weight: 3, arbitrary: wellFormed },
    { weight: 4, arbitrary: neighbours },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) }
  )
  // A word of the API, and no duration: it is for the checks of retention.
  .filter((text) => text !== "forever")

/** Where languages go astray: larger units, `$` before a newline, digits of other scripts, octals, overflow. */
const examples: ReadonlyArray<string> = [
  "60m",
  "48h",
  "5m\n",
  "\n5m",
  "5m\0",
  "٣m",
  "１m",
  "5ｍ",
  "1e1m",
  "1_0m",
  "1m,2m",
  "5m5",
  "05m",
  "00001m",
  "99999999999999999999d",
  "4294967297m",
  "9007199254740993m",
  "NaNm",
  "Infinityd",
  "--5m",
  "5m-",
  "PT5M",
  "P1D",
  "5 minutes",
  "5min",
  "1d ",
  "null",
  "true"
]

const notOne = ["", "5", "m", "0m", "-5m", "+5m", "5s", "5w", "5M", "5 M", "m5", "5mm", "0x5m"]

/** Line 62 of the specification: Duration. */
export const durationSection = section("Resources and their fields / Duration", {
  "duration.grammar": tierA(62, "one integer then one unit m, h or d", {
    decisions: ["D-08", "D-09"],
    text: {
      pattern: "^[1-9]\\d*[mhd]$",
      good: ["1m", "90m", "12h", "30d"],
      bad: notOne,
      outcome: badRequest
    },
    check: [
      takesNoNeighbours(filter),
      takesExactly(filter),
      takesNoNeighbours(retention),
      takesExactly(retention)
    ]
  }),
  "duration.min": tierA(62, "shortest duration is 1m", {
    boundary: { unit: "ms", accept: 1 * minuteMs, refuse: 0, outcome: badRequest },
    check: [isBounded(filter, "m"), isBounded(retention, "m")]
  }),
  "duration.max.days": tierA(62, "longest duration is 3650d", {
    boundary: { unit: "ms", accept: 3650 * dayMs, refuse: 3651 * dayMs, outcome: badRequest },
    check: [isBounded(filter, "d"), isBounded(retention, "d")]
  }),
  "duration.max.hours": tierA(62, "the ceiling applies to the length, whatever the unit", {
    level: "decided",
    decisions: ["D-09"],
    boundary: { unit: "ms", accept: 87_600 * hourMs, refuse: 87_601 * hourMs, outcome: badRequest },
    check: [isBounded(filter, "h", "D-09"), isBounded(retention, "h", "D-09")]
  }),
  "duration.max.minutes": tierA(62, "the ceiling applies to minutes too", {
    level: "decided",
    decisions: ["D-09"],
    boundary: {
      unit: "ms",
      accept: 5_256_000 * minuteMs,
      refuse: 5_256_001 * minuteMs,
      outcome: badRequest
    },
    check: [isBounded(filter, "m", "D-09"), isBounded(retention, "m", "D-09")]
  }),
  "duration.no-spaces": tierA(62, "spaces are not allowed", {
    text: {
      pattern: "^\\S*$",
      good: ["10m"],
      bad: ["10 m", " 10m", "10m ", "1 0m", "10m\t", "10\u00a0m"],
      outcome: badRequest
    },
    provedBy: "duration.grammar#exactly",
    check: [takesNoNeighbours(filter), takesNoNeighbours(retention)]
  }),
  "duration.no-fractions": tierA(62, "fractions are not allowed", {
    text: {
      pattern: "^[^.,/½]*$",
      good: ["1h"],
      bad: ["1.5h", "0.5d", "1.0m", "1,5h", "1/2h", "½h"],
      outcome: badRequest
    },
    provedBy: "duration.grammar#exactly",
    check: [takesNoNeighbours(filter), takesNoNeighbours(retention)]
  }),
  "duration.no-compounds": tierA(62, "compounds are not allowed", {
    text: {
      pattern: "^\\d+[a-z]$",
      good: ["90m"],
      bad: ["1h30m", "1d12h", "1h1h", "1h-30m", "1h+30m"],
      outcome: badRequest
    },
    provedBy: "duration.grammar#exactly",
    check: [takesNoNeighbours(filter), takesNoNeighbours(retention)]
  })
})
