import { LogLimits } from "@atrium/domain/logs/LogLimits"
import type { KeptLine } from "@atrium/domain/logs/LogLine"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { LogFollower, LogFollowers } from "./LogFollowers.ts"

const lineOf = (lineId: number, more: Partial<KeptLine> = {}): KeptLine => ({
  lineId,
  roomId: "arena",
  level: "info",
  line: "x",
  ...more
})
const all = { projectId: "p", roomId: null, level: "debug" } as const

describe("LogFollower", () => {
  it.effect(
    "[C-332] waits for the next line that was asked for, and no longer than it is told",
    () =>
      Effect.gen(function* () {
        const follower = new LogFollower({ ...all, roomId: "arena", level: "warn" })
        const next = yield* Effect.forkChild(follower.next(1000))
        yield* TestClock.adjust(999)
        follower.hear(lineOf(1))
        follower.hear(lineOf(2, { roomId: "hall", level: "error" }))
        expect(next.pollUnsafe()).toBeUndefined()
        follower.hear(lineOf(3, { level: "error" }))
        expect((yield* Fiber.join(next)).lines.map(({ lineId }) => lineId)).toEqual([3])
        const quiet = yield* Effect.forkChild(follower.next(1000))
        yield* TestClock.adjust(1000)
        expect(yield* Fiber.join(quiet)).toEqual({ lines: [], missed: 0 })
      })
  )

  it.effect(
    "[C-332] one that does not read has 1,000 lines, and hears how many it has missed",
    () =>
      Effect.gen(function* () {
        const follower = new LogFollower(all)
        const { max } = LogLimits.logTailLines
        for (let id = 1; id <= max; id++) follower.hear(lineOf(id))
        expect(yield* follower.next(0)).toMatchObject({ missed: 0, lines: { length: max } })
        for (let id = 1; id <= max + 2; id++) follower.hear(lineOf(id))
        expect(yield* follower.next(0)).toMatchObject({ missed: 2, lines: { length: max } })
        follower.hear(lineOf(max + 3))
        expect(yield* follower.next(0)).toMatchObject({ missed: 0, lines: { length: 1 } })
      })
  )

  it.effect("[C-332] long lines count by their memory, and no line comes behind a gap", () =>
    Effect.gen(function* () {
      const follower = new LogFollower(all)
      const line = "x".repeat(8192)
      const most = Math.floor(LogLimits.logTailBytes.max / (2 * 8192 + LogLimits.logLineCost.max))
      for (let id = 1; id <= most + 1; id++) follower.hear(lineOf(id, { line }))
      follower.hear(lineOf(most + 2))
      expect(yield* follower.next(0)).toMatchObject({ missed: 2, lines: { length: most } })
    })
  )
})

describe("LogFollowers", () => {
  it("[C-332] a project has 10 followers and a runner 200, until one of them leaves", () => {
    const followers = new LogFollowers()
    const first = Array.from({ length: LogLimits.logTailsProject.max }, () => followers.add(all))
    expect(first).not.toContain(null)
    expect([followers.hasPlace("p"), followers.add(all)]).toEqual([false, null])
    expect(followers.hasPlace("other")).toBe(true)
    const left = first[0]
    if (left === undefined || left === null) throw new Error("there is no follower")
    followers.remove(left)
    followers.remove(left)
    expect([followers.add(all), followers.add(all)]).toEqual([expect.anything(), null])
    for (let at = LogLimits.logTailsProject.max; at < LogLimits.logTails.max; at++) {
      expect(followers.add({ ...all, projectId: `p${at}` })).not.toBe(null)
    }
    expect(followers.add({ ...all, projectId: "last" })).toBe(null)
  })
})
