import { Limits } from "@atrium/domain/Limits"

/** What the service did since the last look. */
export interface FlushSample {
  /** Share of the time that the event loop was at work, 0 to 1. */
  readonly busy: number
  readonly frames: number
  readonly writes: number
}

/** Time between two looks. */
const LookEveryMs = 100
/** The window opens at this share of the event loop, and closes below the other. */
const OpensAt = 0.3
const ClosesAt = 0.12
/** Frames in one write for which the wait pays. */
const JoinedMin = 1.2
/** After a window that did not pay. */
const RestMs = 2000

/**
 * How long frames wait to leave in one write with those that follow. Nothing, as long as the service
 * has time: each turn of the event loop is written at once. Under load a write is what costs most,
 * so it waits for more, as long as there is more to come. Source: performance.md, "What is worth
 * doing" 1.
 */
export class FlushWindow {
  #open = false
  #lookedAtMs: number
  #restsUntilMs = 0

  constructor(nowMs: number) {
    this.#lookedAtMs = nowMs
  }

  /** Milliseconds that the next write may wait; `0` = the end of this turn. */
  get waitMs(): number {
    return this.#open ? Limits.flushWindow.ms : 0
  }

  /** Whether it is time for the next {@link look}. */
  isDue(nowMs: number): boolean {
    return nowMs - this.#lookedAtMs >= LookEveryMs
  }

  /** Takes in what happened since the last look. */
  look(nowMs: number, { busy, frames, writes }: FlushSample): void {
    this.#lookedAtMs = nowMs
    if (!this.#open) {
      this.#open = busy >= OpensAt && nowMs >= this.#restsUntilMs
      return
    }
    if (busy < ClosesAt) this.#open = false
    else if (frames < writes * JoinedMin) {
      this.#open = false
      this.#restsUntilMs = nowMs + RestMs
    }
  }
}
