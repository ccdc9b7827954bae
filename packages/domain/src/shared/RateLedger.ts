import { type CountLimit, type RateLimit } from "@atrium/wire/limits/Limit"
import {
  makeBucket,
  rebaseBucket,
  refillBucket,
  spendTokens,
  takeToken,
  type TokenBucket,
  untilTokenMs
} from "@atrium/wire/limits/TokenBucket"

import { HttpLimits } from "../http/HttpLimits.ts"

interface Account extends TokenBucket {
  /** Of the limit by which it was counted last. */
  burst: number
}

/**
 * The buckets of one limit, one for each subject, such as an address or an account. When there are more
 * subjects than it may remember, it forgets the subjects that asked longest ago; they begin anew. A subject
 * that was refused gives way only to others that were refused: a crowd does not free a subject that floods.
 */
export class RateLedger {
  readonly #limit: RateLimit
  readonly #passed: Remembered
  readonly #refused: Remembered

  constructor(limit: RateLimit, subjects: CountLimit = HttpLimits.rateSubjects) {
    this.#limit = limit
    this.#passed = new Remembered(subjects.max)
    this.#refused = new Remembered(subjects.max)
  }

  /** Subjects that are remembered. */
  get size(): number {
    return this.#passed.size + this.#refused.size
  }

  /**
   * Takes a token.
   *
   * @param limit the subject's own, when it is not that of all; what was spent stays spent
   * @returns 0 = taken; else the time until there is one again, in ms
   */
  take(subject: string, nowMs: number, limit = this.#limit): number {
    const account = this.#find(subject, limit) ?? {
      ...makeBucket(limit, nowMs),
      burst: limit.burst
    }
    const taken = takeToken(account, limit, nowMs)
    this.#keep(subject, account, taken)
    return taken ? 0 : untilTokenMs(account, limit)
  }

  /**
   * Takes as many tokens as there are.
   *
   * @param most how many at most
   * @returns how many
   */
  takeUpTo(
    subject: string,
    most: number,
    { nowMs, limit = this.#limit }: { readonly nowMs: number; readonly limit?: RateLimit }
  ): number {
    const account = this.#find(subject, limit) ?? {
      ...makeBucket(limit, nowMs),
      burst: limit.burst
    }
    refillBucket(account, limit, nowMs)
    const taken = Math.min(most, account.tokens)
    spendTokens(account, taken)
    this.#keep(subject, account, taken > 0)
    return taken
  }

  /** The answer that {@link take} would give. It takes nothing, and stores no new subject. */
  look(subject: string, nowMs: number, limit = this.#limit): number {
    const account = this.#find(subject, limit)
    if (account === undefined) return 0
    refillBucket(account, limit, nowMs)
    return untilTokenMs(account, limit)
  }

  /** Tokens were taken for what did not happen after all. */
  giveBack(subject: string, tokens = 1): void {
    const account = this.#passed.get(subject) ?? this.#refused.get(subject)
    if (account === undefined || account.tokens === account.burst) return
    account.tokens = Math.min(account.burst, account.tokens + tokens)
    // A full bucket has collected nothing.
    if (account.tokens === account.burst) account.partial = 0
  }

  #keep(subject: string, account: Account, passed: boolean): void {
    const [here, there] = passed ? [this.#passed, this.#refused] : [this.#refused, this.#passed]
    there.delete(subject)
    here.set(subject, account)
  }

  #find(subject: string, limit: RateLimit): Account | undefined {
    const account = this.#passed.get(subject) ?? this.#refused.get(subject)
    if (account === undefined || account.burst === limit.burst) return account
    rebaseBucket(account, account.burst, limit.burst)
    account.burst = limit.burst
    return account
  }
}

/**
 * Two generations of accounts: when the young one has half of what may be remembered it becomes the
 * old one, and those of the old that nobody asked for since are forgotten together. A map that loses
 * its oldest entry at each new one searches longer and longer for it.
 */
class Remembered {
  readonly #half: number
  #young = new Map<string, Account>()
  #old = new Map<string, Account>()

  constructor(max: number) {
    this.#half = Math.ceil(max / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(subject: string): Account | undefined {
    return this.#young.get(subject) ?? this.#old.get(subject)
  }

  set(subject: string, account: Account): void {
    if (this.#young.has(subject)) return
    this.#old.delete(subject)
    if (this.#young.size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(subject, account)
  }

  delete(subject: string): void {
    if (!this.#young.delete(subject)) this.#old.delete(subject)
  }
}
