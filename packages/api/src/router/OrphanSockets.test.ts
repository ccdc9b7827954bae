import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { expect, test } from "vitest"

import { OrphanSockets } from "./OrphanSockets.ts"

const { ms } = ConnectionLimits.orphan

const socket = () => {
  const it = {
    served: true,
    closes: 0,
    orphaned: () => {
      it.closes++
    }
  }
  return it
}

test("[C-446] closes a socket once nobody has served its room for 3 seconds, and counts it", () => {
  const [orphan, played] = [socket(), socket()]
  const watch = new OrphanSockets()
  expect(watch.look([orphan, played], 0)).toBe(0)
  orphan.served = false
  expect(watch.look([orphan, played], 1_000)).toBe(0)
  expect(watch.look([orphan, played], 1_000 + ms - 1)).toBe(0)
  expect(watch.look([orphan, played], 1_000 + ms)).toBe(1)
  expect([orphan.closes, played.closes]).toEqual([1, 0])
  // It is closed: the connections do not have it any more.
  expect(watch.look([played], 1_000 + 2 * ms)).toBe(0)
})

test("[C-446] leaves a socket whose room is served again in time", () => {
  const it = socket()
  const watch = new OrphanSockets()
  for (const [nowMs, served] of [
    [0, false],
    [ms - 1, true],
    [ms, false],
    [2 * ms - 1, false]
  ] as const) {
    it.served = served
    expect(watch.look([it], nowMs)).toBe(0)
  }
  expect(it.closes).toBe(0)
})
