import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { expect, test } from "vitest"

import { AnswerWatch } from "./AnswerWatch.ts"
import { PollEveryMs, StandardPace } from "./ProcessPace.ts"

/** A service that polls, pings when it is told to, and counts the frames that it sends. */
const watched = ({ cpuWaitMs = () => null }: { cpuWaitMs?: () => number | null } = {}) => {
  const watch = new AnswerWatch(StandardPace, cpuWaitMs)
  const pingedAtMs: number[] = []
  let framesSent = 0
  let nowMs = 0
  /** Polls for so long, or until the process hangs. @returns when it hung, or `null` */
  const poll = (forMs: number, everyPoll: () => void = () => undefined): number | null => {
    for (const endMs = nowMs + forMs; nowMs < endMs;) {
      nowMs += PollEveryMs
      everyPoll()
      const verdict = watch.poll(framesSent)
      if (verdict === "hung") return nowMs
      if (verdict !== "ping") continue
      watch.ping(framesSent++)
      pingedAtMs.push(nowMs)
    }
    return null
  }
  const send = (): void => {
    framesSent++
  }
  const answer = (): void => {
    watch.heard()
    watch.pong(watch.nextPing - 1)
  }
  return { watch, pingedAtMs, poll, send, answer }
}

test("[D-22] a room in which something happens is pinged each second", () => {
  const { pingedAtMs, poll, send, answer } = watched()
  const busy = (): void => {
    send()
    answer()
  }
  expect(poll(4000, busy)).toBeNull()
  expect(pingedAtMs).toEqual([1000, 2000, 3000, 4000])
})

test("[D-22] a room in which nothing happens is pinged every five seconds", () => {
  const { pingedAtMs, poll, answer } = watched()
  expect(poll(5000)).toBeNull()
  answer()
  expect(poll(5000)).toBeNull()
  answer()
  expect(poll(5000)).toBeNull()
  expect(pingedAtMs).toEqual([5000, 10_000, 15_000])
})

test("[D-22] a process that answers nothing hangs one poll past its time, not at it", () => {
  const { poll, pingedAtMs } = watched()
  const hungAtMs = poll(60_000)
  expect(hungAtMs).toBe((pingedAtMs[0] ?? 0) + RoomProcessLimits.roomAnswer.ms + PollEveryMs)
})

test("[D-22] a process whose bytes come has longer, as its answer is behind them", () => {
  const { watch, poll, pingedAtMs } = watched()
  const hungAtMs = poll(60_000, () => watch.came())
  const silentForMs = (hungAtMs ?? 0) - (pingedAtMs[0] ?? 0)
  expect(silentForMs).toBeGreaterThan(RoomProcessLimits.roomBusyAnswer.ms)
  expect(silentForMs).toBeLessThanOrEqual(RoomProcessLimits.roomBusyAnswer.ms + 2 * PollEveryMs)
})

/** A process that waits for a CPU; it had waited long before it was asked for the first time. */
const waiting = () => {
  let waitedMs = 60_000
  return { cpuWaitMs: () => waitedMs, wait: (ms: number) => (waitedMs += ms) }
}

test("[C-41] a process that waits for a CPU has longer, and no longer than one whose bytes come", () => {
  const { cpuWaitMs, wait } = waiting()
  const { poll, pingedAtMs } = watched({ cpuWaitMs })
  const hungAtMs = poll(60_000, () => wait(PollEveryMs))
  const silentForMs = (hungAtMs ?? 0) - (pingedAtMs[0] ?? 0)
  // The first poll counts in full: nothing tells what it had waited before.
  expect(silentForMs).toBeGreaterThan(RoomProcessLimits.roomBusyAnswer.ms - 5 * PollEveryMs)
  expect(silentForMs).toBeLessThanOrEqual(RoomProcessLimits.roomBusyAnswer.ms + 2 * PollEveryMs)
})

test("[C-41] a process has so much longer as it waited, also when the system tells late of a long wait", () => {
  const waitedFor = (everyPoll: (poll: number, wait: (ms: number) => void) => void): number => {
    const { cpuWaitMs, wait } = waiting()
    const { poll, pingedAtMs } = watched({ cpuWaitMs })
    let polls = 0
    const hungAtMs = poll(60_000, () => everyPoll(polls++, wait))
    return (hungAtMs ?? 0) - (pingedAtMs[0] ?? 0) - RoomProcessLimits.roomAnswer.ms
  }
  const never = waitedFor(() => undefined)
  const half = waitedFor((_, wait) => wait(PollEveryMs / 2))
  const late = waitedFor((poll, wait) => poll % 10 === 9 && wait(5 * PollEveryMs))
  expect(never).toBe(PollEveryMs)
  expect(half).toBeGreaterThanOrEqual(RoomProcessLimits.roomAnswer.ms - PollEveryMs)
  expect(Math.abs(late - half)).toBeLessThanOrEqual(5 * PollEveryMs)
})

test("[D-22] another stage begins with no silence", () => {
  const { watch, poll, pingedAtMs } = watched()
  watch.ping(0)
  expect(poll(RoomProcessLimits.roomAnswer.ms)).toBeNull()
  watch.begin()
  expect(poll(RoomProcessLimits.roomAnswer.ms)).toBeNull()
  expect(poll(PollEveryMs)).not.toBeNull()
  expect(pingedAtMs).toEqual([])
})

test("[D-22] a pong counts once, for a ping that was sent, and not for an older one", () => {
  const watch = new AnswerWatch(StandardPace, () => null)
  expect(watch.pong(1)).toBe(false)
  const first = watch.ping(0)
  const second = watch.ping(1)
  expect(watch.nextPing).toBe(second + 1)
  expect(watch.pong(second + 1)).toBe(false)
  expect(watch.pong(second)).toBe(true)
  expect(watch.pong(second)).toBe(false)
  expect(watch.pong(first)).toBe(false)
})
