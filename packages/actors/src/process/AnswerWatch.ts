import type { ProcessPace } from "./ProcessPace.ts"

/** What to do about a room's answers: nothing, ask it whether it lives, or end it. */
export type AnswerVerdict = "fine" | "ping" | "hung"

/** A ping and its pong, as they count among the frames. */
const PingAndPong = 2

/**
 * Judges one room process by its answers to pings. A room of which nothing is asked and that says
 * nothing is pinged now and then: nobody waits for it. One whose frames come is not in a loop: its
 * answer is behind them, which a busy service has yet to read, and it has longer.
 */
export class AnswerWatch {
  readonly #pace: ProcessPace
  #polls = 0
  #silentPolls = 0
  #lastPing = 0
  #lastPong = 0
  #framesHeard = 0
  #heardAtPoll = 0
  #trafficAtPing = 0

  constructor(pace: ProcessPace) {
    this.#pace = pace
  }

  /** The number of the next ping: what happens now is known to the process when it answers that. */
  get nextPing(): number {
    return this.#lastPing + 1
  }

  /** The process is in another stage: its polls count anew. */
  begin(): void {
    this.#polls = 0
    this.#silentPolls = 0
  }

  /** A frame of the process came. */
  heard(): void {
    this.#framesHeard++
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
    this.#silentPolls = 0
    return true
  }

  /** Called every `PollEveryMs`. */
  poll(framesSent: number): AnswerVerdict {
    const { answerPolls, busyAnswerPolls, pingPolls, restPingPolls } = this.#pace
    this.#polls++
    const heard = this.#framesHeard > this.#heardAtPoll
    this.#heardAtPoll = this.#framesHeard
    if (this.#lastPong < this.#lastPing) {
      this.#silentPolls += heard ? answerPolls / busyAnswerPolls : 1
      if (this.#silentPolls > answerPolls) return "hung"
    }
    if (this.#polls % pingPolls !== 0) return "fine"
    const rests = framesSent + this.#framesHeard - this.#trafficAtPing <= PingAndPong
    return rests && this.#polls % restPingPolls !== 0 ? "fine" : "ping"
  }
}
