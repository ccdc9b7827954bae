import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import {
  makeBucket,
  refillBucket,
  spendTokens,
  takeToken,
  type TokenBucket
} from "@atrium/wire/limits/TokenBucket"

/** `refused` is the first refusal since a frame passed, `refusedAgain` each one after it. */
export type Passage = "passes" | "refused" | "refusedAgain"

/**
 * The rate limiter of one session: how much its client may still send. Every frame passes it, so it
 * counts in place and allocates nothing. Times are Unix milliseconds of the service's clock. Spec:
 * Connection and room limits.
 */
export class RelayAllowance {
  readonly #viewer: boolean
  readonly #ops: TokenBucket
  readonly #bytes: TokenBucket
  readonly #sends: TokenBucket
  #bytesRefused = false
  #sendsRefused = false

  constructor({ viewer, nowMs }: { readonly viewer: boolean; readonly nowMs: number }) {
    this.#viewer = viewer
    this.#ops = makeBucket(RelayLimits.relayWriteOps, nowMs)
    this.#bytes = makeBucket(RelayLimits.relayBytes, nowMs)
    this.#sends = makeBucket(AudienceLimits.audienceMessages, nowMs)
  }

  /**
   * Counts the ops of one write: all pass or none. A viewer's writes pass, as the machine refuses them.
   */
  takeOps(count: number, nowMs: number): boolean {
    if (this.#viewer) return true
    refillBucket(this.#ops, RelayLimits.relayWriteOps, nowMs)
    return spendTokens(this.#ops, count)
  }

  /** Counts the bytes of a frame. */
  takeBytes(bytes: number, nowMs: number): Passage {
    refillBucket(this.#bytes, RelayLimits.relayBytes, nowMs)
    if (spendTokens(this.#bytes, bytes)) {
      this.#bytesRefused = false
      return "passes"
    }
    if (this.#bytesRefused) return "refusedAgain"
    this.#bytesRefused = true
    return "refused"
  }

  /** Counts a message to other clients: a viewer may send few. */
  takeSend(nowMs: number): Passage {
    if (!this.#viewer) return "passes"
    if (takeToken(this.#sends, AudienceLimits.audienceMessages, nowMs)) {
      this.#sendsRefused = false
      return "passes"
    }
    if (this.#sendsRefused) return "refusedAgain"
    this.#sendsRefused = true
    return "refused"
  }
}
