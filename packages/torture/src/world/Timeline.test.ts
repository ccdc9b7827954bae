import fc from "fast-check"
import { expect, test } from "vitest"

import { Timeline } from "./Timeline.ts"

test("[D-14] waits end in the order of their times, and equal times in the order of asking", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 200 }), (waitsMs) => {
      const timeline = new Timeline()
      const happened: Array<readonly [atMs: number, index: number]> = []
      waitsMs.forEach((ms, index) =>
        timeline.after(ms, () => happened.push([timeline.machineMs, index]))
      )
      timeline.pass(25)
      expect(happened.every(([atMs]) => atMs <= 25)).toBe(true)
      timeline.pass(25)
      const inOrder = waitsMs
        .map((ms, index) => [ms, index] as const)
        .sort(([one, first], [other, second]) => one - other || first - second)
      expect(happened).toEqual(inOrder)
      expect(timeline.machineMs).toBe(50)
    })
  )
})

test("[C-84] the wait of a rule follows the clock; the wait that guards against a hang does not", () => {
  const timeline = new Timeline()
  const startMs = timeline.nowMs
  const seen: Array<string> = []
  timeline.after(1000, () => seen.push(`machine ${timeline.machineMs}`))
  timeline.afterByRule(60_000, () => seen.push(`rule ${timeline.nowMs - startMs}`))
  timeline.pass(500)
  expect(seen).toEqual([])
  timeline.jump(100_000)
  timeline.pass(0)
  expect(seen).toEqual(["rule 100500"])
  timeline.afterByRule(1000, () => seen.push(`later ${timeline.machineMs}`))
  timeline.jump(-700)
  timeline.pass(1199)
  expect(seen).toEqual(["rule 100500", "machine 1000"])
  timeline.pass(501)
  expect(seen).toEqual(["rule 100500", "machine 1000", "later 2200"])
})

test("[D-14] all work of a moment is done before time goes on", () => {
  const seen: Array<string> = []
  const timeline = new Timeline(() => void seen.push(`settled at ${timeline.machineMs}`))
  timeline.after(5, () => seen.push("due"))
  timeline.pass(5)
  expect(seen).toEqual(["settled at 0", "due", "settled at 5"])
  timeline.stopped = true
  timeline.pass(5)
  expect(seen.slice(3)).toEqual(["settled at 5"])
  expect(timeline.machineMs).toBe(5)
})
