import { PollEveryMs, type ProcessPace } from "./ProcessPace.ts"

/** What to do about a room's answers: nothing, ask it whether it lives, or end it. */
export type AnswerVerdict = "fine" | "ping" | "hung"

/** A ping and its pong, as they count among the frames. */
const PingAndPong = 2

/**
 * Judges one room process by its answers to pings. A room of which nothing is asked and that says
 * nothing is pinged now and then: nobody waits for it. One whose bytes come is not in a loop: its
 * answer is behind them, which a busy service has yet to read, and it has longer. So has one that waits for a CPU of a busy
 * machine: it cannot answer before it has one.
 */
export class AnswerWatch {
  readonly #pace: ProcessPace
  readonly #cpuWaitMs: () => number | null
  #polls = 0
  #silentPolls = 0
  /** What it had waited for a CPU at the last poll without an answer; `null` = there was none, or nobody tells. */
  #waitedMs: number | null = null
  /** Polls in which it waited, and that no poll was shortened by yet. */
  #waitedPolls = 0
  #lastPing = 0
  #lastPong = 0
  #framesHeard = 0
  #cameSincePoll = false
  #trafficAtPing = 0
  /** The callers that wait for the answer to a ping, by its number. */
  readonly #waiting = new Map<number, () => void>()

  /** @param cpuWaitMs how long the process has waited for a CPU since it began; `null` = nobody tells */
  constructor(pace: ProcessPace, cpuWaitMs: () => number | null) {
    this.#pace = pace
    this.#cpuWaitMs = cpuWaitMs
  }

  /** The number of the next ping: what happens now is known to the process when it answers that. */
  get nextPing(): number {
    return this.#lastPing + 1
  }

  /** The process is in another stage: its polls count anew. */
  begin(): void {
    this.#polls = 0
    this.#endSilence()
  }

  /** A frame of the process came. */
  heard(): void {
    this.#framesHeard++
  }

  /** Bytes of the process came; a long frame comes in many pieces, and each tells that it lives. */
  came(): void {
    this.#cameSincePoll = true
  }

  /**
   * @param framesSent to the process so far, without this ping
   * @returns the number of the ping that is sent now
   */
  ping(framesSent: number): number {
    this.#trafficAtPing = framesSent + this.#framesHeard
    this.#lastPing++
    return this.#lastPing
  }

  /** @returns whether there was such a ping, and no answer to it yet */
  pong(number: number): boolean {
    if (number <= this.#lastPong || number > this.#lastPing) return false
    this.#lastPong = number
    this.#endSilence()
    return true
  }

  /** Calls back when the next ping is answered. */
  whenAnswered(then: () => void): void {
    this.#waiting.set(this.nextPing, then)
  }

  /** The answer to a ping is taken: the caller that waits for it hears of it. */
  tell(number: number): void {
    const then = this.#waiting.get(number)
    this.#waiting.delete(number)
    then?.()
  }

  /** Called every `PollEveryMs`. */
  poll(framesSent: number): AnswerVerdict {
    const { answerPolls, pingPolls, restPingPolls } = this.#pace
    this.#polls++
    if (this.#lastPong < this.#lastPing) {
      this.#silentPolls += this.#weightOfSilence()
      if (this.#silentPolls > answerPolls) return "hung"
    }
    this.#cameSincePoll = false
    if (this.#polls % pingPolls !== 0) return "fine"
    const rests = framesSent + this.#framesHeard - this.#trafficAtPing <= PingAndPong
    return rests && this.#polls % restPingPolls !== 0 ? "fine" : "ping"
  }
  #endSilence(): void {
    this.#silentPolls = 0
    this.#waitedMs = null
    this.#waitedPolls = 0
  }

  /** @returns what a poll without an answer counts: 1, or less where the process could not answer */
  #weightOfSilence(): number {
    const { answerPolls, busyAnswerPolls } = this.#pace
    const least = answerPolls / busyAnswerPolls
    const waitedMs = this.#cpuWaitMs()
    if (waitedMs !== null)
      this.#waitedPolls += (waitedMs - (this.#waitedMs ?? waitedMs)) / PollEveryMs
    this.#waitedMs = waitedMs
    if (this.#cameSincePoll) return least
    // The system adds a wait when it ends: what is more than this poll is taken from those that follow.
    const waitedPolls = Math.min(this.#waitedPolls, 1 - least)
    this.#waitedPolls -= waitedPolls
    return 1 - waitedPolls
  }
}
