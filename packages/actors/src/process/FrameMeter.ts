import { Limits, type RateLimit } from "@atrium/domain/Limits"

import { PollEveryMs } from "./ProcessPace.ts"

/** A bucket that is refilled by polls: a service that was held up gives nothing for that time. */
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

  refill(): void {
    const { burst, tokens, everyMs } = this.#limit
    const grown = Math.floor((tokens * PollEveryMs) / everyMs)
    this.#left = Math.min(burst, Math.max(0, this.#left) + grown)
  }

  giveBack(amount: number): void {
    this.#left += amount
  }
}

/** Counts what one room process sends. A room that behaves never meets a bound, whatever its clients do. */
export class FrameMeter {
  readonly #frames = new Bucket(Limits.roomFrames)
  readonly #copies = new Bucket(Limits.roomCopies)
  readonly #bytes = new Bucket(Limits.roomBytes)
  readonly #lines = new Bucket(Limits.roomLogLines)

  /** Called every `PollEveryMs`. */
  refill(): void {
    for (const bucket of [this.#frames, this.#copies, this.#bytes, this.#lines]) bucket.refill()
  }

  /** @returns what there is too much of, or `null` */
  frame(bytes: number): string | null {
    if (!this.#frames.take(1)) return tooMany(Limits.roomFrames, "frames")
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
