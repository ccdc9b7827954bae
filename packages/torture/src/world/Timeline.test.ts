import fc from "fast-check"
import { expect, test } from "vitest"

import { Timeline } from "./Timeline.ts"
import { done, Fiber, Group, Lock, waitFor, type Work } from "./Work.ts"

test("[D-14] what is due happens in its order, and at once in the order of asking", () => {
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

test("[C-84] what a rule waits for follows the clock, what guards against a hang does not", () => {
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

test("[D-14] a fiber ends with its group between two steps, and a lock goes to who is left", () => {
  const timeline = new Timeline()
  const lock = new Lock()
  const seen: Array<string> = []
  function* holds(name: string): Work<void> {
    yield* lock.take()
    seen.push(`${name} holds`)
    yield* waitFor<void>((wake) => timeline.after(10, () => wake(done(undefined))))
    seen.push(`${name} gives`)
    lock.give()
  }
  const [here, gone] = [new Group(null), new Group(null)]
  for (const [name, group] of [
    ["first", here],
    ["second", gone],
    ["third", here]
  ] as const) {
    new Fiber(timeline, group, holds(name)).onEnd(() => undefined)
  }
  timeline.pass(5)
  gone.end()
  timeline.pass(100)
  expect(seen).toEqual(["first holds", "first gives", "third holds", "third gives"])
  let letGo = false
  gone.onEnd(() => (letGo = true))
  expect(letGo).toBe(true)
})
