import { Limits } from "@atrium/domain/Limits"
import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { isWorthWaiting, SendWindow } from "./SendWindow.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("[C-60] what waits leaves together, the window's span after the first", () => {
  const flushed: Array<string> = []
  const named = (name: string) => ({ flush: () => void flushed.push(name) })
  const window = new SendWindow()
  window.add(named("first"))
  vi.advanceTimersByTime(Limits.sendWindow.ms - 1)
  window.add(named("second"))
  expect(flushed).toEqual([])
  vi.advanceTimersByTime(1)
  expect(flushed).toEqual(["first", "second"])
  window.add(named("third"))
  vi.advanceTimersByTime(Limits.sendWindow.ms)
  expect(flushed).toEqual(["first", "second", "third"])
})

test("[C-60] frames of a room that gets few of them do not wait", () => {
  expect([0, 9, 10, 1000].map(isWorthWaiting)).toEqual([false, false, true, true])
})
