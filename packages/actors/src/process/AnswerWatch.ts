import { OwedAnswer } from "./OwedAnswer.ts"
import type { ProcessPace } from "./ProcessPace.ts"

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
  readonly #owed: OwedAnswer
  #polls = 0
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
    this.#owed = new OwedAnswer(pace, cpuWaitMs)
  }

  /** The number of the next ping: what happens now is known to the process when it answers that. */
  get nextPing(): number {
    return this.#lastPing + 1
  }

  /** The process is in another stage: its polls count anew. */
  begin(): void {
    this.#polls = 0
    this.#owed.settle()
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
    this.#owed.settle()
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
    const { pingPolls, restPingPolls } = this.#pace
    this.#polls++
    const owes = this.#lastPong < this.#lastPing
    if (owes && this.#owed.poll(this.#cameSincePoll)) return "hung"
    this.#cameSincePoll = false
    if (this.#polls % pingPolls !== 0) return "fine"
    const rests = framesSent + this.#framesHeard - this.#trafficAtPing <= PingAndPong
    return rests && this.#polls % restPingPolls !== 0 ? "fine" : "ping"
  }
}
