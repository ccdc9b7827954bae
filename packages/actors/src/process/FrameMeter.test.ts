import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import { describe, expect, test } from "vitest"

import { FrameMeter } from "./FrameMeter.ts"
import { PollEveryMs } from "./ProcessPace.ts"

const pollsPerSecond = 1000 / PollEveryMs

/** Frames that pass until one does not. */
const passed = (meter: FrameMeter): number => {
  let frames = 0
  while (meter.frame() === null) frames++
  return frames
}

describe("what a room process may send", () => {
  test("[C-41] a burst of frames passes, one more does not", () => {
    const meter = new FrameMeter()
    expect(passed(meter)).toBe(RoomProcessLimits.roomFrames.burst)
    expect(meter.frame()).toBe("more frames than a room of its size may send")
  })

  test.each([0, 1, 1024])(
    "[C-41] a second brings back as many as %s clients are due",
    (clients) => {
      const meter = new FrameMeter()
      passed(meter)
      for (let poll = 0; poll < pollsPerSecond; poll++) meter.refill(clients)
      expect(passed(meter)).toBe(
        RoomProcessLimits.roomFrames.tokens + clients * RoomProcessLimits.roomClientFrames.tokens
      )
      for (let poll = 0; poll < 10 * pollsPerSecond; poll++) meter.refill(clients)
      expect(passed(meter)).toBe(
        RoomProcessLimits.roomFrames.burst + clients * RoomProcessLimits.roomClientFrames.burst
      )
    }
  )

  test("[C-41] a burst of bytes passes, one more does not, and a second brings some back", () => {
    const meter = new FrameMeter()
    expect(meter.came(RoomProcessLimits.roomBytes.burst)).toBe(null)
    expect(meter.came(1)).toBe("more than 67108864 bytes a second")
    for (let poll = 0; poll < pollsPerSecond; poll++) meter.refill(0)
    expect(meter.came(RoomProcessLimits.roomBytes.tokens)).toBe(null)
    expect(meter.came(1)).not.toBe(null)
  })

  test("[C-41] a state that the service asked for does not count", () => {
    const meter = new FrameMeter()
    for (let states = 0; states < 64; states++) {
      expect(meter.came(RuntimeLimits.snapshotBytes.max)).toBe(null)
      meter.asked(RuntimeLimits.snapshotBytes.max)
    }
    expect(meter.came(RoomProcessLimits.roomBytes.burst)).toBe(null)
  })

  test("[C-41] a frame for many counts once for each of them", () => {
    const meter = new FrameMeter()
    expect(meter.copies(RoomProcessLimits.roomCopies.burst)).toBe(null)
    expect(meter.copies(1)).toBe("more than 1000000 frames to clients a second")
  })

  test("[C-41] log lines past the burst are dropped", () => {
    const meter = new FrameMeter()
    for (let line = 0; line < RoomProcessLimits.roomLogLines.burst; line++)
      expect(meter.line(1)).toBe(true)
    expect(meter.line(1)).toBe(false)
    meter.refill(0)
    expect(meter.line(1)).toBe(true)
  })

  test("[C-170] bytes of log lines past the burst are dropped", () => {
    const meter = new FrameMeter()
    expect(meter.line(RoomProcessLimits.roomLogBytes.burst)).toBe(true)
    expect(meter.line(1)).toBe(false)
    meter.refill(0)
    expect(meter.line(1)).toBe(true)
  })

  test.each([64, SchemaLimits.maxClients.max])(
    "[C-41] %s clients at 60 Hz never meet a bound: each gets the patch and a frame of its own",
    (clients) => {
      const meter = new FrameMeter()
      let met = 0
      for (let poll = 0; poll < 10 * pollsPerSecond; poll++) {
        meter.refill(clients)
        for (let tick = 0; tick < SchemaLimits.tickHz.max / pollsPerSecond; tick++) {
          if (meter.frame() !== null || meter.came(8000) !== null) met++
          if (meter.copies(clients) !== null) met++
          for (let client = 0; client < clients; client++) {
            if (meter.frame() !== null || meter.came(1000) !== null) met++
            if (meter.copies(1) !== null) met++
          }
        }
      }
      expect(met).toBe(0)
    }
  )

  test("[C-41] 64 clients at their limit, each of whose frames goes to all, never meet a bound", () => {
    const meter = new FrameMeter()
    let met = 0
    for (let poll = 0; poll < 10 * pollsPerSecond; poll++) {
      meter.refill(64)
      for (let frame = 0; frame < (64 * ConnectionLimits.frames.tokens) / pollsPerSecond; frame++) {
        if (meter.frame() !== null || meter.came(64) !== null) met++
        if (meter.copies(64) !== null) met++
      }
    }
    expect(met).toBe(0)
  })
})
