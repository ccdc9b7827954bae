import fc from "fast-check"

import { forAll } from "../check/ForAll.ts"
import type { Text } from "../sections/Row.ts"
import type { Trial } from "../trial/Trial.ts"
import { isRefusedAs, isTaken, type Outcome } from "./Outcome.ts"

export interface TextBench {
  readonly attempt: (text: string) => Promise<Outcome>
  readonly decision?: string
  /** Texts that chance changes in one character, of the good ones. Default 20. */
  readonly runs?: number
}

/** All good texts of a row are taken, all bad ones refused, and good ones with one strange character. */
export const textChecks = async (
  trial: Pick<Trial, "chosen" | "note" | "seed" | "signal">,
  row: Text,
  { attempt, decision, runs = 20 }: TextBench
): Promise<void> => {
  const pattern = new RegExp(row.pattern, "u")
  const look = async (text: string): Promise<void> => {
    const what = `${row.ids[0]}: ${JSON.stringify(text)}`
    const got = await attempt(text)
    if (pattern.test(text)) return isTaken(what, got)
    const { outcome } = row
    isRefusedAs(trial, what, { got, outcome, ...(decision === undefined ? {} : { decision }) })
  }
  for (const text of [...row.good, ...row.bad]) await look(text)
  if (runs === 0 || row.good.length === 0) return
  const of = strange(row.good).filter((text) => !pattern.test(text))
  await forAll(
    trial,
    { of, runs, examples: padded(row.good).filter((text) => !pattern.test(text)) },
    look
  )
}

const blanks = [" ", "\t", "\n", "\u00a0"]

/** Texts that a parser accepts when it trims. */
const padded = ([text = ""]: ReadonlyArray<string>): ReadonlyArray<string> =>
  blanks.flatMap((blank) => [blank + text, text + blank])

/** A good text with one character more that no name has. */
const strange = (good: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc
    .record({
      text: fc.constantFrom(...good),
      place: fc.nat({ max: 100 }),
      char: fc.constantFrom(...blanks, ..."\u0000./,;:!?#%&+=\"'\\<>|äé€🎲０AZ@~^`")
    })
    .map(({ text, place, char }) => {
      const at = place % (text.length + 1)
      return text.slice(0, at) + char + text.slice(at)
    })
