import { Limits } from "@atrium/domain/Limits"
import { describe, expect, test } from "vitest"

import { FlushWindow } from "./FlushWindow.ts"

const joined = { frames: 300, writes: 100 }
const single = { frames: 100, writes: 100 }

describe("how long frames wait for others", () => {
  test("[C-60] not at all while the service has time", () => {
    const window = new FlushWindow(0)
    for (let atMs = 100; atMs < 10_000; atMs += 100) {
      window.look(atMs, { busy: 0.29, ...joined })
      expect(window.waitMs).toBe(0)
    }
  })

  test("[C-60] a few milliseconds under load, until the load has gone", () => {
    const window = new FlushWindow(0)
    window.look(100, { busy: 0.3, ...single })
    expect(window.waitMs).toBe(Limits.flushWindow.ms)
    // Waiting itself saves work: the window does not close for it.
    window.look(200, { busy: 0.12, ...joined })
    expect(window.waitMs).toBe(Limits.flushWindow.ms)
    window.look(300, { busy: 0.11, ...joined })
    expect(window.waitMs).toBe(0)
  })

  test("[C-60] not while there is nothing that could be joined", () => {
    const window = new FlushWindow(0)
    window.look(100, { busy: 0.9, ...single })
    expect(window.waitMs).toBe(Limits.flushWindow.ms)
    window.look(200, { busy: 0.9, ...single })
    expect(window.waitMs).toBe(0)
    window.look(2199, { busy: 0.9, ...single })
    expect(window.waitMs).toBe(0)
    window.look(2200, { busy: 0.9, ...single })
    expect(window.waitMs).toBe(Limits.flushWindow.ms)
  })

  test("[C-60] it is looked at ten times a second", () => {
    const window = new FlushWindow(1000)
    expect([window.isDue(1099), window.isDue(1100)]).toEqual([false, true])
    window.look(1100, { busy: 0, ...single })
    expect([window.isDue(1199), window.isDue(1200)]).toEqual([false, true])
  })
})
