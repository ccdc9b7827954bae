import { Limits, type RateLimit } from "@atrium/domain/Limits"

import { PollEveryMs } from "./ProcessPace.ts"

/** A bucket that is refilled by polls: the time that the service was held up gives nothing. */
class Bucket {
  readonly #limit: RateLimit
  #left: number

  constructor(limit: RateLimit) {
    this.#limit = limit
    this.#left = limit.burst
  }

  take(amount: number): boolean {
    this.#left -= amount
    return this.#left >= 0
  }

  giveBack(amount: number): void {
    this.#left += amount
  }

  /** One poll's worth of the bucket's own limit, and of another for each of so many. */
  refill(each: RateLimit = this.#limit, times = 0): void {
    const grown = perPoll(this.#limit) + times * perPoll(each)
    const burst = this.#limit.burst + times * each.burst
    this.#left = Math.min(burst, Math.max(0, this.#left) + grown)
  }
}

const perPoll = ({ tokens, everyMs }: RateLimit): number =>
  Math.floor((tokens * PollEveryMs) / everyMs)

/** Counts what one room process sends. A room that behaves never meets a bound, whatever its clients do. */
export class FrameMeter {
  readonly #frames = new Bucket(Limits.roomFrames)
  readonly #copies = new Bucket(Limits.roomCopies)
  readonly #bytes = new Bucket(Limits.roomBytes)
  readonly #lines = new Bucket(Limits.roomLogLines)

  /** Called every `PollEveryMs`. */
  refill(clients: number): void {
    this.#frames.refill(Limits.roomClientFrames, clients)
    this.#copies.refill()
    this.#bytes.refill()
    this.#lines.refill()
  }

  /** @returns what there is too much of, or `null` */
  frame(bytes: number): string | null {
    if (!this.#frames.take(1)) return "more frames than a room of its size may send"
    return this.#bytes.take(bytes) ? null : tooMany(Limits.roomBytes, "bytes")
  }

  /** Bytes of a state that the service has asked for do not count. */
  asked(bytes: number): void {
    this.#bytes.giveBack(bytes)
  }

  /** @returns as {@link frame} */
  copies(clients: number): string | null {
    return this.#copies.take(clients) ? null : tooMany(Limits.roomCopies, "frames to clients")
  }

  /** `false`: the line is dropped. */
  line(): boolean {
    return this.#lines.take(1)
  }
}

const tooMany = ({ tokens }: RateLimit, what: string): string =>
  `more than ${tokens} ${what} a second`
