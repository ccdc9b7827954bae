import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { type RateLimit } from "@atrium/wire/limits/Limit"
import { makeBucket, refillBucket, spendTokens } from "@atrium/wire/limits/TokenBucket"

import { PollEveryMs } from "./ProcessPace.ts"

/** The limit of a room with so many clients: its own share, and one for each of them. */
const framesFor = (clients: number): RateLimit => {
  const { roomFrames, roomClientFrames } = RoomProcessLimits
  return {
    ...roomFrames,
    burst: roomFrames.burst + clients * roomClientFrames.burst,
    tokens: roomFrames.tokens + clients * roomClientFrames.tokens
  }
}

/**
 * Counts what one room process sends. A room that behaves never meets a bound, whatever its clients
 * do. Its clock are the polls: the time that the service was held up gives nothing.
 */
export class FrameMeter {
  readonly #frames = makeBucket(RoomProcessLimits.roomFrames, 0)
  readonly #copies = makeBucket(RoomProcessLimits.roomCopies, 0)
  readonly #bytes = makeBucket(RoomProcessLimits.roomBytes, 0)
  readonly #lines = makeBucket(RoomProcessLimits.roomLogLines, 0)
  readonly #lineBytes = makeBucket(RoomProcessLimits.roomLogBytes, 0)
  #nowMs = 0

  /** Called every `PollEveryMs`. */
  refill(clients: number): void {
    this.#nowMs += PollEveryMs
    refillBucket(this.#frames, framesFor(clients), this.#nowMs)
    refillBucket(this.#copies, RoomProcessLimits.roomCopies, this.#nowMs)
    refillBucket(this.#bytes, RoomProcessLimits.roomBytes, this.#nowMs)
    refillBucket(this.#lines, RoomProcessLimits.roomLogLines, this.#nowMs)
    refillBucket(this.#lineBytes, RoomProcessLimits.roomLogBytes, this.#nowMs)
  }

  /** @returns the exceeded bound in words, or `null` */
  frame(): string | null {
    return spendTokens(this.#frames, 1) ? null : "more frames than a room of its size may send"
  }

  /**
   * Bytes count as they come, also those of a frame that never ends.
   *
   * @returns as {@link frame}
   */
  came(bytes: number): string | null {
    return spendTokens(this.#bytes, bytes) ? null : tooMany(RoomProcessLimits.roomBytes, "bytes")
  }

  /** Bytes of a state that the service has asked for do not count. */
  asked(bytes: number): void {
    this.#bytes.tokens += bytes
  }

  /** @returns as {@link frame} */
  copies(clients: number): string | null {
    return spendTokens(this.#copies, clients)
      ? null
      : tooMany(RoomProcessLimits.roomCopies, "frames to clients")
  }

  /** @returns `false`: the line is dropped */
  line(bytes: number): boolean {
    return spendTokens(this.#lines, 1) && spendTokens(this.#lineBytes, bytes)
  }
}

const tooMany = ({ tokens }: RateLimit, what: string): string =>
  `more than ${tokens} ${what} a second`
