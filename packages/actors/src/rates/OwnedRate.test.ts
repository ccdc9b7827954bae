import { RateLimits } from "@atrium/domain/rates/RateLimits"
import { type RateAnswer, RateOwner } from "@atrium/domain/rates/RateOwner"
import type { CountLimit, RateLimit } from "@atrium/wire/limits/Limit"
import { expect, test } from "vitest"

import { OwnedRate, type RateOwners } from "./OwnedRate.ts"

const limit: RateLimit = {
  kind: "rate",
  says: "under test",
  per: "subject",
  past: "refused",
  burst: 10,
  tokens: 1,
  everyMs: 1000
}
const many: CountLimit = { kind: "count", says: "subjects", max: 3, per: "rate", past: "forgotten" }

/** Two runners and the owner of their buckets. */
const fleet = () => {
  const owner = new RateOwner()
  const state = { nowMs: 0, answers: true, asked: 0 }
  const runner = (name: string): OwnedRate => {
    const owners: RateOwners = {
      nowMs: () => state.nowMs,
      ask: (ask): Promise<RateAnswer | null> => {
        state.asked++
        const answer = state.answers ? owner.answer({ ...ask, runner: name }, state.nowMs) : null
        return Promise.resolve(answer)
      }
    }
    return new OwnedRate(limit, owners, many)
  }
  return { state, one: runner("one"), two: runner("two") }
}

const passes = async (rate: OwnedRate, times: number, nowMs: number): Promise<number> => {
  const told = await Promise.all(Array.from({ length: times }, () => rate.take("a", nowMs)))
  return told.filter((waitMs) => waitMs === 0).length
}

test("[C-379] two runners let through what one would, and both know when there is more", async () => {
  const { state, one, two } = fleet()
  expect([await passes(one, 6, 0), await passes(two, 6, 0)]).toEqual([6, 4])
  expect(await two.look("a", 0)).toBe(1000)
  expect(await one.look("a", 0)).toBe(1000)
  expect(await one.take("a", 0)).toBe(1000)
  state.nowMs = 2000
  expect([await passes(two, 5, 2000), await passes(one, 5, 2000)]).toEqual([2, 0])
})

test("[C-379] requests that come together are one question, and a refusal is remembered", async () => {
  const { state, one } = fleet()
  expect(await passes(one, 10, 0)).toBe(10)
  // The first asks by itself; the others waited for its answer and asked together.
  expect(state.asked).toBe(2)
  expect(await one.take("a", 0)).toBe(1000)
  const { asked } = state
  expect(one.take("a", 400)).toBe(600)
  expect(state.asked).toBe(asked)
})

test("[C-379] while the owner cannot be asked a runner counts by itself", async () => {
  const { state, one, two } = fleet()
  expect(await passes(one, 10, 0)).toBe(10)
  state.answers = false
  expect([await passes(two, 12, 0), await two.look("a", 0)]).toEqual([10, 1000])
  state.answers = true
  state.nowMs = 1000
  expect([await passes(two, 5, 1000), await passes(one, 5, 1000)]).toEqual([1, 0])
})

test("[C-379] a token of what did not happen goes back", async () => {
  const { one, two } = fleet()
  await passes(one, 10, 0)
  expect(await two.take("a", 0)).toBe(1000)
  one.giveBack("a")
  expect(await passes(one, 2, 0)).toBe(1)
})

test("[C-379] forgets subjects of which there is nothing to know, and has no more than it may", async () => {
  const { one } = fleet()
  for (const subject of ["a", "b", "c", "d"]) await one.take(subject, 0)
  expect(one.size).toBe(many.max)
  one.sweep(RateLimits.heldFor.ms)
  expect(one.size).toBe(0)
})
