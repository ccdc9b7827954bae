import { Effect } from "effect"
import { TestClock } from "effect/testing"

/**
 * Moves the clock over three looks of a singleton that has yet to start. Answers with what it saw a
 * millisecond before each look was due, and when it was: how many looks there had been, and the
 * moment of the last one since the start.
 * @param looks the moments of its looks, to which it adds
 */
export const lookTimes = Effect.fnUntraced(function* (
  looks: ReadonlyArray<number>,
  everyMs: number
) {
  // The cluster starts its singletons when it has its shards.
  while (looks.length === 0) yield* TestClock.adjust(1)
  const startedMs = looks[0] ?? 0
  const seen: Array<readonly [looks: number, lastMs: number]> = []
  const see = () => seen.push([looks.length, (looks.at(-1) ?? 0) - startedMs])
  for (let look = 1; look <= 3; look++) {
    yield* TestClock.setTime(startedMs + look * everyMs - 1)
    see()
    yield* TestClock.adjust(1)
    see()
  }
  return seen
})

/** What {@link lookTimes} sees of looks that come at the start, and each time the span has passed. */
export const onTime = (everyMs: number): ReadonlyArray<readonly [number, number]> =>
  [1, 2, 3].flatMap((look) => [
    [look, (look - 1) * everyMs] as const,
    [look + 1, look * everyMs] as const
  ])
