import { Limits } from "@atrium/domain/Limits"
import { describe, expect, test } from "vitest"

import { FrameMeter } from "./FrameMeter.ts"
import { PollEveryMs } from "./ProcessPace.ts"

const pollsPerSecond = 1000 / PollEveryMs

describe("what a room process may send", () => {
  test("[C-41] the burst of frames passes, one more does not", () => {
    const meter = new FrameMeter()
    let passed = 0
    while (meter.frame(0) === null) passed++
    expect(passed).toBe(Limits.roomFrames.burst)
    expect(meter.frame(0)).toBe("more than 100000 frames a second")
  })

  test("[C-41] the burst of bytes passes, one more does not, and a second brings some back", () => {
    const meter = new FrameMeter()
    expect(meter.frame(Limits.roomBytes.burst)).toBe(null)
    expect(meter.frame(1)).toBe("more than 67108864 bytes a second")
    for (let poll = 0; poll < pollsPerSecond; poll++) meter.refill()
    const back = pollsPerSecond * Math.floor(Limits.roomBytes.tokens / pollsPerSecond)
    expect(meter.frame(back)).toBe(null)
    expect(meter.frame(1)).not.toBe(null)
  })

  test("[C-41] a state that the service asked for does not count", () => {
    const meter = new FrameMeter()
    for (let states = 0; states < 64; states++) {
      expect(meter.frame(Limits.snapshotBytes.max)).toBe(null)
      meter.asked(Limits.snapshotBytes.max)
    }
    expect(meter.frame(Limits.roomBytes.burst)).toBe(null)
  })

  test("[C-41] a frame for many counts once for each of them", () => {
    const meter = new FrameMeter()
    expect(meter.copies(Limits.roomCopies.burst)).toBe(null)
    expect(meter.copies(1)).toBe("more than 1000000 frames to clients a second")
  })

  test("[C-41] log lines past the burst are dropped", () => {
    const meter = new FrameMeter()
    for (let line = 0; line < Limits.roomLogLines.burst; line++) expect(meter.line()).toBe(true)
    expect(meter.line()).toBe(false)
    meter.refill()
    expect(meter.line()).toBe(true)
  })

  test("[C-41] a full room at 60 Hz never meets a bound: each client gets a patch and a frame of its own", () => {
    const meter = new FrameMeter()
    const clients = Limits.maxClients.max
    for (let second = 0; second < 10; second++) {
      for (let poll = 0; poll < pollsPerSecond; poll++) {
        meter.refill()
        for (let tick = 0; tick < Limits.tickHz.max / pollsPerSecond; tick++) {
          expect(meter.frame(8_000)).toBe(null)
          expect(meter.copies(clients)).toBe(null)
          for (let client = 0; client < clients; client++) {
            if (meter.frame(1000) !== null || meter.copies(1) !== null) throw new Error("met")
          }
        }
      }
    }
  })
})
