import { expect, test } from "vitest"

import { endless, ShardLeases } from "./ShardLeases.ts"

const forMs = 10_000

const make = () => {
  let nowMs = 0
  const leases = new ShardLeases({ forMs, nowMs: () => nowMs })
  const at = (ms: number): void => {
    nowMs = ms
  }
  return { leases, at }
}

test("[C-447] a lease is over when the span has passed since the question, not since the answer", () => {
  const { leases, at } = make()
  expect(leases.of("1").over).toBe(true)
  at(500)
  leases.taken(["1"], 100)
  at(100 + forMs - 1)
  expect(leases.of("1").over).toBe(false)
  at(100 + forMs)
  expect(leases.of("1").over).toBe(true)
})

test("[C-447] a confirmation renews a lease that runs, and only of the shards that it names", () => {
  const { leases, at } = make()
  leases.taken(["1", "2"], 0)
  leases.confirmed(["1"], forMs - 1)
  at(forMs)
  expect([leases.of("1").over, leases.of("2").over]).toEqual([false, true])
  // A late answer takes nothing from a lease.
  leases.confirmed(["1"], 1)
  expect(leases.of("1").over).toBe(false)
})

test("[C-447] a lease that is over stays over when the runner has the shard again", () => {
  const { leases, at } = make()
  leases.taken(["1"], 0)
  const first = leases.of("1")
  at(forMs)
  leases.confirmed(["1"], forMs)
  expect([first.over, leases.of("1").over]).toEqual([true, true])
  leases.taken(["1"], forMs)
  expect([first.over, leases.of("1").over]).toEqual([true, false])
})

test("[C-447] a shard that is given back or lost ends its lease at once", () => {
  const { leases } = make()
  leases.taken(["1", "2", "3"], 0)
  const held = ["1", "2", "3"].map((shard) => leases.of(shard))
  leases.lost(["1"])
  expect(held.map(({ over }) => over)).toEqual([true, false, false])
  leases.lostAll()
  expect(held.map(({ over }) => over)).toEqual([true, true, true])
  expect(endless.over).toBe(false)
})
