import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { expect, test } from "vitest"

import { AnswerWatch } from "./AnswerWatch.ts"
import { PollEveryMs, StandardPace } from "./ProcessPace.ts"

/** A service that polls, pings when it is told to, and counts the frames that it sends. */
const watched = () => {
  const watch = new AnswerWatch(StandardPace)
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
  const watch = new AnswerWatch(StandardPace)
  expect(watch.pong(1)).toBe(false)
  const first = watch.ping(0)
  const second = watch.ping(1)
  expect(watch.nextPing).toBe(second + 1)
  expect(watch.pong(second + 1)).toBe(false)
  expect(watch.pong(second)).toBe(true)
  expect(watch.pong(second)).toBe(false)
  expect(watch.pong(first)).toBe(false)
})
