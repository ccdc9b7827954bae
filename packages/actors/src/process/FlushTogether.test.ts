import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { FlushTogether } from "./FlushTogether.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const flushed: Array<string> = []
const named = (name: string) => ({ flush: () => void flushed.push(name) })

beforeEach(() => void (flushed.length = 0))

test.each([RoomProcessLimits.sendWindow.ms, ConnectionLimits.writeWindow.ms])(
  "[C-60] waiting frames leave together, %s ms after the first",
  (waitMs) => {
    const together = new FlushTogether(() => waitMs)
    together.add(named("first"))
    vi.advanceTimersByTime(waitMs - 1)
    together.add(named("second"))
    expect(flushed).toEqual([])
    vi.advanceTimersByTime(1)
    expect(flushed).toEqual(["first", "second"])
    together.add(named("third"))
    vi.advanceTimersByTime(waitMs)
    expect(flushed).toEqual(["first", "second", "third"])
    vi.advanceTimersByTime(1000)
    expect(flushed).toHaveLength(3)
  }
)

test("[C-60] without a wait it leaves at the end of the turn, not before", () => {
  const together = new FlushTogether(() => 0)
  together.add(named("first"))
  together.add(named("second"))
  expect(flushed).toEqual([])
  vi.advanceTimersByTime(0)
  expect(flushed).toEqual(["first", "second"])
})

test("[C-60] the wait is that of the moment at which the first comes", () => {
  let waitMs = 0
  const together = new FlushTogether(() => waitMs)
  together.add(named("first"))
  waitMs = 5
  together.add(named("second"))
  vi.advanceTimersByTime(0)
  expect(flushed).toEqual(["first", "second"])
  together.add(named("third"))
  vi.advanceTimersByTime(4)
  expect(flushed).toHaveLength(2)
  vi.advanceTimersByTime(1)
  expect(flushed).toHaveLength(3)
})
