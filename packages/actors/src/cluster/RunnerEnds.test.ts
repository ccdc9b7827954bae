import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { expect, test } from "vitest"

import { RunnerEnds } from "./RunnerEnds.ts"

const { ms } = StoreLimits.runnerEnd
const everyMs = 500

/** The looks at which one runner counts as ended. */
const endsAt = (
  looks: ReadonlyArray<readonly [atMs: number, connected: boolean, beat: number]>,
  refused = false
) => {
  const ends = new RunnerEnds()
  return looks.flatMap(([atMs, connected, beat]) =>
    ends.look([{ address: "a:1", connected, refused, beat }], atMs).has("a:1") ? [atMs] : []
  )
}

const looks = (untilMs: number, at: (ms: number) => readonly [boolean, number]) =>
  Array.from({ length: untilMs / everyMs + 1 }, (_, index) => {
    const [connected, beat] = at(index * everyMs)
    return [index * everyMs, connected, beat] as const
  })

test("[C-448] a runner has ended when it is not connected and its address refuses, not before", () => {
  expect(endsAt([[0, true, 1]], true)).toEqual([])
  expect(endsAt([[0, false, 1]], true)).toEqual([0])
})

test("[C-448] a runner out of reach has ended after 2 seconds without connection and sign of life", () => {
  expect(endsAt(looks(ms, (atMs) => [atMs === 0, 1]))).toEqual([])
  expect(endsAt(looks(ms + everyMs, (atMs) => [atMs === 0, 1]))).toEqual([ms + everyMs])
})

test("[C-448] a runner that stands still keeps its connection, and has not ended", () => {
  expect(endsAt(looks(20_000, () => [true, 1]))).toEqual([])
})

test("[C-448] a runner that lost its connection and gives a sign of life has not ended", () => {
  expect(endsAt(looks(20_000, (atMs) => [false, Math.floor(atMs / ms)]))).toEqual([])
})

test("[C-448] the time in which the store or this runner stood still does not count", () => {
  expect(
    endsAt([
      [0, false, 1],
      [ms, false, 1],
      [ms + ms / 2, false, 1],
      [2 * ms - 1, false, 1],
      [2 * ms, false, 1]
    ])
  ).toEqual([2 * ms])
})
