import { Effect } from "effect"

import { deployExamples, gameNames } from "./Examples.ts"
import { firstVersion, playground } from "./Playground.ts"

/**
 * Deploys marbles beside the examples of the first start, where it is missing. An owner's version that is made
 * meanwhile stays the current one.
 *
 * @returns whether marbles is among the room types now
 */
export const placeMarbles = Effect.gen(function* () {
  const shown = yield* playground
  if (shown?.lacksMarbles !== true) return true
  const replaces = { replaces: firstVersion }
  const refusal = yield* Effect.flip(deployExamples(shown.projectId, gameNames, replaces)).pipe(
    Effect.orElseSucceed(() => null)
  )
  if (refusal === null) return true
  const now = yield* playground
  // The examples are ours: one that is refused after the version that it was made for is a fault.
  if (now?.lacksMarbles === true) return yield* Effect.die(refusal)
  // Another runner may have been first.
  return now?.games.includes("marbles") === true
})
