import { TimerMsMax } from "@atrium/wire/limits/Limit"

import type { RuntimePort } from "../host/RuntimePort.ts"

type ClockPort = Pick<RuntimePort, "nowMs" | "setTimer">

interface ClockStart {
  readonly nowMs: number
  readonly runs: boolean
  readonly onDue: () => void
}

/** The service's clock inside a room, and one alarm clock on it. Unix milliseconds. */
export class ServiceClock {
  readonly #port: ClockPort
  #offsetMs: number
  /** Where it stands; `null` = it runs. */
  #standsAtMs: number | null
  #cancel: (() => void) | null = null
  #dueAtMs: number | null = null
  readonly #onDue: () => void

  constructor(port: ClockPort, start: ClockStart) {
    this.#port = port
    this.#offsetMs = start.nowMs - port.nowMs()
    this.#standsAtMs = start.runs ? null : start.nowMs
    this.#onDue = start.onDue
  }

  nowMs(): number {
    return Math.round(this.#standsAtMs ?? this.#port.nowMs() + this.#offsetMs)
  }

  /** The service's clock was moved: it shows `nowMs` now, and goes on from there or stands. */
  move(nowMs: number, runs: boolean): void {
    this.#offsetMs = nowMs - this.#port.nowMs()
    this.#standsAtMs = runs ? null : nowMs
    this.#set()
  }

  /** Calls back once when the clock shows `atMs`; replaces the call that was set before. */
  wakeAt(atMs: number | null): void {
    if (atMs === this.#dueAtMs && this.#cancel !== null) return
    this.#dueAtMs = atMs
    this.#set()
  }

  #set(): void {
    this.#cancel?.()
    this.#cancel = null
    if (this.#dueAtMs === null) return
    const delayMs = Math.min(Math.max(0, this.#dueAtMs - this.nowMs()), TimerMsMax)
    // Nothing becomes due by itself while time stands.
    if (this.#standsAtMs !== null && delayMs > 0) return
    this.#cancel = this.#port.setTimer(delayMs, () => {
      this.#cancel = null
      // A timer may come early, and a far time takes several.
      if (this.#dueAtMs !== null && this.nowMs() < this.#dueAtMs) return this.#set()
      this.#dueAtMs = null
      this.#onDue()
    })
  }
}
