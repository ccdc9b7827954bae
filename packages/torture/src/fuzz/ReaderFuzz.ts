import { Chance } from "@atrium/api/testing/Chance"

import { mutate } from "./Mutation.ts"
import { type ReaderTarget, readerTargets } from "./ReaderTargets.ts"
import type { Tally } from "./Tally.ts"

/** Longest that one frame may take: none justifies more. */
const SlowMs = 1000

/** Puts one mutated frame into one reader: it is taken, refused by the reader's own error, or a fault. */
export const readOne = (seed: number, index: number, tally: Tally): void => {
  const chance = Chance.of(seed, "readers", index)
  const target = chance.pick(readerTargets)
  const bytes = mutate(chance, chance.pick(target.valid), target.valid)
  const startedAt = performance.now()
  const outcome = outcomeOf(target, bytes, chance)
  tally.sent("readers")
  tally.count(target.name, outcome._tag)
  const tookMs = performance.now() - startedAt
  const says =
    outcome._tag === "threw"
      ? outcome.says
      : tookMs > SlowMs
        ? `took ${Math.round(tookMs)} ms`
        : null
  if (says === null) return
  const hex = bytes.subarray(0, 200).toString("hex")
  tally.fault({
    part: "readers",
    index,
    says: `${target.name}: ${says}; ${bytes.length} bytes ${hex}`
  })
}

type Outcome =
  | { readonly _tag: "taken" | "refused" }
  | { readonly _tag: "threw"; readonly says: string }

const outcomeOf = (target: ReaderTarget, bytes: Buffer, chance: Chance): Outcome => {
  try {
    target.read(bytes, chance)
    return { _tag: "taken" }
  } catch (error) {
    if (target.refuses.some((known) => error instanceof known)) return { _tag: "refused" }
    return { _tag: "threw", says: String(error) }
  }
}
