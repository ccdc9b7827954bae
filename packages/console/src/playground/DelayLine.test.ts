import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { DelayLine } from "./DelayLine.ts"

/** A clock that a test moves. */
const clockOf = () => {
  let nowMs = 0
  let timers: Array<{ readonly atMs: number; readonly run: () => void }> = []
  return {
    nowMs: () => nowMs,
    count: () => timers.length,
    after: (ms: number, run: () => void) => void timers.push({ atMs: nowMs + ms, run }),
    to: (atMs: number) => {
      for (;;) {
        const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0]
        if (next === undefined || next.atMs > atMs) break
        timers = timers.filter((one) => one !== next)
        nowMs = next.atMs
        next.run()
      }
      nowMs = atMs
    }
  }
}

describe("a line with a delay", () => {
  it("[C-806] hands on at once, after its latency, and after a stall, always in order", () => {
    const clock = clockOf()
    const came: Array<string> = []
    const line = new DelayLine<string>((one) => came.push(`${one}@${clock.nowMs()}`), clock)
    line.push("a")
    line.latencyMs = 100
    line.push("b")
    clock.to(50)
    line.latencyMs = 0
    line.push("c")
    clock.to(99)
    expect(came).toEqual(["a@0"])
    clock.to(100)
    line.stalled = true
    line.push("d")
    clock.to(500)
    expect(came).toEqual(["a@0", "b@100", "c@100"])
    line.stalled = false
    expect(came).toEqual(["a@0", "b@100", "c@100", "d@500"])
    line.latencyMs = 10
    line.push("e")
    line.close()
    clock.to(1000)
    expect(came).toHaveLength(4)
  })

  it("[C-806] has one timer, however many things wait", () => {
    const clock = clockOf()
    const came: Array<string> = []
    const line = new DelayLine<string>((one) => came.push(`${one}@${clock.nowMs()}`), clock)
    line.latencyMs = 100
    line.push("a")
    clock.to(40)
    line.push("b")
    line.push("c")
    expect(clock.count()).toBe(1)
    clock.to(100)
    expect([clock.count(), came]).toEqual([1, ["a@100"]])
    clock.to(140)
    expect([clock.count(), came]).toEqual([0, ["a@100", "b@140", "c@140"]])
  })

  it("[C-806] keeps everything in its order while latency and stalls change", () => {
    const act = fc.oneof(
      fc.constant("push" as const),
      fc.record({ latencyMs: fc.nat({ max: 300 }) }),
      fc.record({ stalled: fc.boolean() }),
      fc.record({ passMs: fc.nat({ max: 200 }) })
    )
    fc.assert(
      fc.property(fc.array(act), (acts) => {
        const clock = clockOf()
        const came: Array<number> = []
        const line = new DelayLine<number>((one) => came.push(one), clock)
        let pushed = 0
        for (const each of acts) {
          if (each === "push") line.push(pushed++)
          else if ("latencyMs" in each) line.latencyMs = each.latencyMs
          else if ("stalled" in each) line.stalled = each.stalled
          else clock.to(clock.nowMs() + each.passMs)
        }
        line.stalled = false
        clock.to(clock.nowMs() + 300)
        expect(came).toEqual(Array.from({ length: pushed }, (_, at) => at))
      })
    )
  })
})
