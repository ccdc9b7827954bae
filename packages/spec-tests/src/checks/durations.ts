import fc from "fast-check"

import { isRefusal, isSuccess } from "../check/Answers.ts"
import { type Check, manyAskedMs, type Probe, type ProbeOf } from "../check/Check.ts"
import { forAll } from "../check/ForAll.ts"
import { boundaryChecks } from "../families/Boundary.ts"
import { outcomeOf } from "../families/Outcome.ts"
import { rowOf } from "../tables/Tables.ts"
import { dayMs, hourMs, minuteMs } from "../tables/Units.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

/** Sends a text where a duration is asked for. */
type Ask = (text: string) => Promise<HttpAnswer>

interface Place {
  readonly where: string
  readonly needs: ReadonlyArray<string>
  readonly open: (trial: Trial) => Promise<Ask>
}

/** Durations stand in a query and in a body: both are read by the same grammar. */
const filter: Place = {
  where: "the filter idle-longer-than",
  needs: [],
  open: async (trial) => {
    const project = await trial.project()
    return (text) => project.ask(`/rooms?idle-longer-than=${encodeURIComponent(text)}`)
  }
}

const retention: Place = {
  where: "the retention of a room",
  needs: ["fixture"],
  open: async (trial) => {
    const stage = await roomStage(trial)
    await stage.client("kept")
    return (text) => stage.patch("kept", { retention: text })
  }
}

const units = { m: minuteMs, h: hourMs, d: dayMs } as const
type Unit = keyof typeof units

/** What is well-formed is taken; what differs from it by a character is not. */
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

const takesExactly = ({ where, needs, open }: Place): Probe => ({
  name: "exactly",
  title: `${where} takes exactly the texts that are one integer and one unit`,
  needs,
  timeoutMs: manyAskedMs,
  run: async (trial) => {
    const ask = await open(trial)
    await forAll(trial, { of: texts, runs: 60, examples, atOnce: 8 }, async (text) => {
      const answer = await ask(text)
      const verdict = verdictOf(text)
      if (verdict === "taken") isSuccess(answer)
      const refused = () => isRefusal(trial, answer, rowOf("text", "duration.grammar"))
      if (verdict === "refused") refused()
      if (verdict === "chosen") trial.chosen("D-09", refused)
    })
  }
})

/** Durations: their grammar and their bounds, wherever one is asked for. */
export const durationChecks: ReadonlyArray<Check> = [
  { ids: ["duration.grammar"], ...takesNoNeighbours(filter)("duration.grammar") },
  { ids: ["duration.no-spaces"], ...takesNoNeighbours(filter)("duration.no-spaces") },
  { ids: ["duration.no-fractions"], ...takesNoNeighbours(filter)("duration.no-fractions") },
  { ids: ["duration.no-compounds"], ...takesNoNeighbours(filter)("duration.no-compounds") },
  { ids: ["duration.min"], ...isBounded(filter, "m")("duration.min") },
  { ids: ["duration.max.days"], ...isBounded(filter, "d")("duration.max.days") },
  { ids: ["duration.max.hours"], ...isBounded(filter, "h", "D-09")("duration.max.hours") },
  { ids: ["duration.max.minutes"], ...isBounded(filter, "m", "D-09")("duration.max.minutes") },
  {
    ids: [
      "duration.grammar",
      "duration.no-spaces",
      "duration.no-fractions",
      "duration.no-compounds"
    ],
    ...takesExactly(filter)
  },
  { ids: ["duration.grammar"], ...takesNoNeighbours(retention)("duration.grammar") },
  { ids: ["duration.no-spaces"], ...takesNoNeighbours(retention)("duration.no-spaces") },
  { ids: ["duration.no-fractions"], ...takesNoNeighbours(retention)("duration.no-fractions") },
  { ids: ["duration.no-compounds"], ...takesNoNeighbours(retention)("duration.no-compounds") },
  { ids: ["duration.min"], ...isBounded(retention, "m")("duration.min") },
  { ids: ["duration.max.days"], ...isBounded(retention, "d")("duration.max.days") },
  { ids: ["duration.max.hours"], ...isBounded(retention, "h", "D-09")("duration.max.hours") },
  { ids: ["duration.max.minutes"], ...isBounded(retention, "m", "D-09")("duration.max.minutes") },
  {
    ids: [
      "duration.grammar",
      "duration.no-spaces",
      "duration.no-fractions",
      "duration.no-compounds"
    ],
    ...takesExactly(retention)
  }
]

/** What the specification says of a text; leading zeros are refused by our choice. */
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

/** Where languages go astray: `$` before a newline, digits of other scripts, octals, overflow. */
const examples: ReadonlyArray<string> = [
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
