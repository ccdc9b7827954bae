import { Limits } from "@atrium/domain/Limits"

import { PollEveryMs } from "./ProcessPace.ts"

/** Frames to a room within a window for which its wait pays: every other one has company. */
const CompanyMin = 0.5

/** Whether a room that got so many frames within the last `PollEveryMs` gets them in groups. */
export const isWorthWaiting = (frames: number): boolean =>
  (frames * Limits.sendWindow.ms) / PollEveryMs >= CompanyMin

/** Something that holds frames back until the window closes. */
interface Waiting {
  flush(): void
}

/**
 * Under load frames to rooms wait a few milliseconds, those of all rooms together. The passage of a
 * frame costs more than what it says: frames that go together are read together, answered together
 * and reach every client together, so that one wait saves work on the whole way. All rooms share the
 * moment, as a service that is woken once for all of them sleeps, and is woken, less often.
 * Source: performance.md, "What is worth doing" 1 and 3.
 */
export class SendWindow {
  #waiting: Array<Waiting> = []
  readonly #close = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) one.flush()
  }

  /** The first one opens the window. */
  add(one: Waiting): void {
    this.#waiting.push(one)
    if (this.#waiting.length === 1) setTimeout(this.#close, Limits.sendWindow.ms)
  }
}
