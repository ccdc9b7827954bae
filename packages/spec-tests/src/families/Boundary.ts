import fc from "fast-check"

import { forAll } from "../check/ForAll.ts"
import type { Boundary } from "../sections/Row.ts"
import type { Trial } from "../trial/Trial.ts"
import { isRefusedAs, isTaken, type Outcome } from "./Outcome.ts"

/** One value on one side of a bound. */
export interface Sized {
  readonly size: number
  /** For bytes, characters and UTF-16 units: a text of that size. */
  readonly text: string
}

export interface BoundaryBench {
  /** Tries a value. */
  readonly attempt: (value: Sized) => Promise<Outcome>
  /**
   * Looks after each attempt, and throws a `Mismatch`: the value in force is this one and whole
   * (null = none was taken yet), the connection is as it should be.
   */
  readonly intact?: (inForce: Sized | null) => Promise<void>
  /** The decision that named the code, where the specification did not. */
  readonly decision?: string
  /** Largest and smallest size that an attempt can have; beyond them nothing is tried. */
  readonly most?: number
  readonly smallest?: number
  /** Values that chance picks. Default 30; 0 where an attempt is dear. */
  readonly runs?: number
}

type BoundaryTrial = Pick<Trial, "chosen" | "note" | "seed" | "signal">

/** The bound of a row holds on both sides, and what it refuses changes nothing. */
export const boundaryChecks = async (
  trial: BoundaryTrial,
  row: Boundary,
  bench: BoundaryBench
): Promise<void> => {
  const { runs = 30, smallest = Math.min(0, row.least ?? 0), most = Infinity } = bench
  let inForce: Sized | null = null
  const look = async (value: Sized): Promise<void> => {
    const what = `${row.ids[0]}: ${value.size} ${row.unit}`
    const got = await bench.attempt(value)
    const side = sideOf(row, value.size)
    if (side === "grey") trial.chosen("T-KB", () => isTaken(what, got))
    if (side === "taken") isTaken(what, got)
    if (side === "refused") {
      isRefusedAs(trial, what, { got, outcome: row.outcome, ...decisionOf(bench) })
    }
    if (got.taken) inForce = value
    await bench.intact?.(inForce)
  }
  const within = (size: number): boolean => size >= smallest && size <= most
  for (const size of pairsOf(row).filter(within)) await look(sized(row, { size, char: "a" }))
  if (isText(row.unit)) {
    for (const char of widths) {
      for (const size of pairsOf(row).filter(within)) await look(sized(row, { size, char }))
    }
  }
  if (runs === 0) return
  const of = fc.record({ size: sizes(row).filter(within), char: fc.constantFrom("a", ...widths) })
  await forAll(trial, { of, runs }, (value) => look(sized(row, value)))
}

const decisionOf = ({ decision }: BoundaryBench) => (decision === undefined ? {} : { decision })

/** Characters of two, three and four bytes of UTF-8. */
const widths = ["é", "€", "🎲"]

const isText = (unit: Boundary["unit"]): boolean =>
  unit === "bytes" || unit === "chars" || unit === "utf16"

/** Between two sizes that can be written: days for a bound of days. */
const stepOf = ({ accept, refuse, grey }: Boundary): number =>
  grey === undefined ? Math.abs(refuse - accept) : 1

/** On which side of the bound a size is. */
export const sideOf = (row: Boundary, size: number): "taken" | "refused" | "grey" => {
  const { accept, refuse, grey, least } = row
  if (grey !== undefined && size >= grey[0] && size <= grey[1]) return "grey"
  if (least !== undefined && size < least) return "refused"
  return (refuse > accept ? size <= accept : size >= accept) ? "taken" : "refused"
}

/** The bound itself, one on either side, and far beyond. */
const pairsOf = (row: Boundary): ReadonlyArray<number> => {
  const { accept, refuse, grey, least } = row
  const step = stepOf(row)
  const outwards = refuse > accept ? step : -step
  return [
    ...(least === undefined ? [] : [least, least - step]),
    ...(grey === undefined ? [] : [grey[0] - 1, grey[0]]),
    accept - outwards,
    accept,
    refuse,
    refuse + outwards
  ]
}

const sizes = (row: Boundary): fc.Arbitrary<number> => {
  const step = stepOf(row)
  const { accept, refuse, least = 0 } = row
  const bound = Math.max(accept, refuse)
  const far = { min: -4, max: 4 }
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...pairsOf(row)) },
    { weight: 2, arbitrary: fc.integer(far).map((steps) => bound + steps * step) },
    {
      weight: 2,
      arbitrary: fc
        .integer({
          min: 0,
          max: Math.max(1, Math.min(2 ** 30, Math.floor((bound - least) / step)))
        })
        .map((steps) => least + steps * step)
    },
    { weight: 1, arbitrary: fc.constantFrom(2, 10).map((times) => bound * times) }
  )
}

/** A text of exactly that many units, of that character as far as it fits and of `a` for the rest. */
export const sized = (
  { unit }: Pick<Boundary, "unit">,
  { size, char }: { readonly size: number; readonly char: string }
): Sized => {
  if (!isText(unit) || size < 0) return { size, text: "" }
  const width = widthOf(char, unit)
  return { size, text: char.repeat(Math.floor(size / width)) + "a".repeat(size % width) }
}

const widthOf = (char: string, unit: Boundary["unit"]): number => {
  if (unit === "bytes") return Buffer.byteLength(char)
  return unit === "utf16" ? char.length : 1
}
