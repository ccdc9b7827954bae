import { PollEveryMs } from "./ProcessPace.ts"

/** Spans in polls. */
interface Pace {
  /** A process has this long to answer. */
  readonly answerPolls: number
  /** The same while it cannot. */
  readonly busyAnswerPolls: number
}

/**
 * Counts the polls for which a process owes an answer. One in which it waited for a CPU of a busy machine counts a part:
 * it could not answer. Source: C-40, C-41.
 */
export class OwedAnswer {
  readonly #pace: Pace
  readonly #cpuWaitMs: () => number | null
  #polls = 0
  /** What it had waited for a CPU at the last poll; `null` = there was none, or nobody tells. */
  #waitedMs: number | null = null
  /** Polls in which it waited, and that no poll was shortened by yet. */
  #waitedPolls = 0

  /** @param cpuWaitMs how long the process has waited for a CPU since it began; `null` = nobody tells */
  constructor(pace: Pace, cpuWaitMs: () => number | null) {
    this.#pace = pace
    this.#cpuWaitMs = cpuWaitMs
  }

  /** It owes none, or another one: its time begins anew. */
  settle(): void {
    this.#polls = 0
    this.#waitedMs = null
    this.#waitedPolls = 0
  }

  /**
   * Called every `PollEveryMs` while it owes one.
   *
   * @param came bytes of it came since the last poll, and the answer is behind them
   * @returns whether its time is over
   */
  poll(came: boolean): boolean {
    this.#polls += this.#weight(came)
    return this.#polls > this.#pace.answerPolls
  }

  #weight(came: boolean): number {
    const { answerPolls, busyAnswerPolls } = this.#pace
    const least = answerPolls / busyAnswerPolls
    const waitedMs = this.#cpuWaitMs()
    const sinceMs = waitedMs === null ? 0 : waitedMs - (this.#waitedMs ?? waitedMs)
    this.#waitedMs = waitedMs
    if (came) return least
    this.#waitedPolls += sinceMs / PollEveryMs
    // The system adds a wait when it ends: what is more than this poll is taken from those that follow.
    const waitedPolls = Math.min(this.#waitedPolls, 1 - least)
    this.#waitedPolls -= waitedPolls
    return 1 - waitedPolls
  }
}
