import { Limits } from "@atrium/domain/Limits"

import { PollEveryMs } from "./ProcessPace.ts"

/** The window opens at this share of the event loop, and closes below the other: waiting saves work. */
const OpensAt = 0.3
const ClosesAt = 0.12
/** Frames within a window for which the wait pays: every other one has company. */
const CompanyMin = 0.5

/**
 * How long frames to one room wait to leave in one write. Nothing, as long as the service has time.
 * Under load the passage of a frame costs more than what it says: frames that go together are read
 * together, answered together and reach every client together, so that one wait saves work on the
 * whole way. Source: performance.md, "What is worth doing" 1 and 3.
 */
export class SendWindow {
  #busy = false
  #open = false

  /** Milliseconds that the next write may wait; `0` = the end of this turn. */
  get waitMs(): number {
    return this.#open ? Limits.sendWindow.ms : 0
  }

  /** Takes in what happened within the last `PollEveryMs`. `busy` is a share of the event loop. */
  look({ busy, frames }: { readonly busy: number; readonly frames: number }): void {
    this.#busy = busy >= (this.#busy ? ClosesAt : OpensAt)
    this.#open = this.#busy && (frames * Limits.sendWindow.ms) / PollEveryMs >= CompanyMin
  }
}
