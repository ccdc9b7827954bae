import type { RateLimit } from "@atrium/wire/limits/Limit"

/** A level in rationals: whole numbers of 1/everyMs of a token, so that nothing is ever rounded. */
export class ExactRate {
  readonly #limit: RateLimit
  readonly #full: bigint
  #level: bigint
  #countedAtMs: number

  constructor(limit: RateLimit, nowMs: number) {
    this.#limit = limit
    this.#full = BigInt(limit.burst) * BigInt(limit.everyMs)
    this.#level = this.#full
    this.#countedAtMs = nowMs
  }

  #refill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#countedAtMs)
    this.#countedAtMs = nowMs
    this.#level += BigInt(elapsedMs) * BigInt(this.#limit.tokens)
    if (this.#level > this.#full) this.#level = this.#full
  }

  /** 0 = there is a token; else the milliseconds until there is one. */
  look(nowMs: number): number {
    this.#refill(nowMs)
    const lacks = BigInt(this.#limit.everyMs) - this.#level
    if (lacks <= 0n) return 0
    const tokens = BigInt(this.#limit.tokens)
    return Number((lacks + tokens - 1n) / tokens)
  }

  take(nowMs: number): number {
    const waitMs = this.look(nowMs)
    if (waitMs === 0) this.#level -= BigInt(this.#limit.everyMs)
    return waitMs
  }

  /** All of them, or none. */
  spend(count: number, nowMs: number): boolean {
    this.#refill(nowMs)
    const cost = BigInt(count) * BigInt(this.#limit.everyMs)
    if (this.#level < cost) return false
    this.#level -= cost
    return true
  }

  giveBack(): void {
    this.#level += BigInt(this.#limit.everyMs)
    if (this.#level > this.#full) this.#level = this.#full
  }
}
