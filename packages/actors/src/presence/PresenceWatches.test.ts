import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import { expect, test } from "vitest"

import { PresenceWatches } from "./PresenceWatches.ts"

test("[C-562] a change wakes the watches of that player, once for all changes of a span", () => {
  const watches = new PresenceWatches()
  const woken: Array<string> = []
  watches.add(["p/a", "p/b"], () => void woken.push("both"))
  const stop = watches.add(["p/b"], () => void woken.push("one"))
  expect([watches.changed("p/c"), watches.changed("p/a"), watches.changed("p/b")]).toEqual([
    false,
    true,
    true
  ])
  const wakes = watches.takeWoken()
  // One that waits no more is not woken.
  stop?.()
  for (const wake of wakes) wake()
  expect([woken, watches.takeWoken(), watches.size]).toEqual([["both"], [], 1])
})

test("[C-562] what waits no more leaves nothing behind", () => {
  const watches = new PresenceWatches()
  const stops = [watches.add(["dev/a", "dev/b"], () => {}), watches.add(["dev/a"], () => {})]
  expect(watches.waits(0)).toBe(true)
  for (const stop of stops) {
    stop?.()
    stop?.()
  }
  expect([watches.size, watches.waits(0), watches.changed("dev/a")]).toEqual([0, false, false])
})

test("[C-562] 20,000 watches wait on a runner, and one more does not", () => {
  const watches = new PresenceWatches()
  const add = () => watches.add(["dev/a"], () => {})
  for (let at = 1; at < PresenceLimits.presenceWaiting.max; at++) add()
  const last = add()
  expect([watches.size, add()]).toEqual([PresenceLimits.presenceWaiting.max, null])
  last?.()
  expect(add()).not.toBeNull()
})
