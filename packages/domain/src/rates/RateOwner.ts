import type { RateLimit } from "@atrium/wire/limits/Limit"

import { HttpLimits } from "../http/HttpLimits.ts"
import { RateLedger } from "../shared/RateLedger.ts"
import { RateLimits } from "./RateLimits.ts"

/** The numbers of a rate, and the words that name it. */
export type RateNumbers = Pick<RateLimit, "says" | "burst" | "tokens" | "everyMs">

/** What a runner asks the owner of a bucket for. */
export interface RateAsk {
  readonly rate: RateNumbers
  readonly subject: string
  readonly runner: string
  /** Requests that wait for a token. */
  readonly needed: number
  /** Tokens beside those, for requests to come. */
  readonly ahead: number
  /** Tokens of an earlier answer that no request took. */
  readonly back: number
}

export interface RateAnswer {
  /** First for the requests that wait. */
  readonly granted: number
  /** Until there is a token again; 0 = all that is needed was granted. */
  readonly retryAfterMs: number
}

/** Tokens that a runner holds ahead of requests. */
interface Held {
  readonly tokens: number
  readonly untilMs: number
}

/** The most tokens of a bucket that all runners together hold ahead. */
export const heldMax = ({ burst }: Pick<RateLimit, "burst">): number =>
  burst <= RateLimits.exactBurst.max ? 0 : Math.floor((burst * RateLimits.heldPercent.max) / 100)

const nameOf = ({ rate, subject }: Pick<RateAsk, "rate" | "subject">): string =>
  `${rate.says} ${subject}`

const limitOf = (rate: RateNumbers): RateLimit => ({ kind: "rate", per: "", past: "", ...rate })

/**
 * The buckets of a service that one actor owns. A token is given once, whichever runner asks. What runners hold
 * ahead is a tenth of a burst at most, over all of them: so many tokens may lie idle while a request is refused, and
 * by so many may a span have more than its rate. Source: C-379, docs/operations.md, "Limits of the service".
 */
export class RateOwner {
  readonly #ledgers = new Map<string, RateLedger>()
  /** By subject, then by runner. */
  readonly #held = new Map<string, Map<string, Held>>()

  answer(ask: RateAsk, nowMs: number): RateAnswer {
    const { rate, subject, needed } = ask
    const limit = limitOf(rate)
    const ledger = this.#ledgers.get(rate.says) ?? new RateLedger(limit)
    this.#ledgers.set(rate.says, ledger)
    if (ask.back > 0) this.#takeBack(ledger, ask)
    // A look, or tokens that come back.
    if (needed === 0) return { granted: 0, retryAfterMs: ledger.look(subject, nowMs, limit) }
    const wanted = needed + this.#aheadOf(ask, nowMs)
    const granted = ledger.takeUpTo(subject, wanted, { nowMs, limit })
    this.#hold(ask, {
      tokens: Math.max(0, granted - needed),
      // The runner gives back within this time what it does not spend.
      untilMs: nowMs + 2 * RateLimits.heldFor.ms
    })
    return {
      granted,
      retryAfterMs: granted < needed ? ledger.look(subject, nowMs, limit) : 0
    }
  }

  #takeBack(ledger: RateLedger, { rate, subject, runner, back }: RateAsk): void {
    ledger.giveBack(subject, back)
    const held = this.#held.get(nameOf({ rate, subject }))?.get(runner)
    if (held !== undefined) {
      const tokens = Math.max(0, held.tokens - back)
      this.#hold({ rate, subject, runner }, { ...held, tokens })
    }
  }

  /** Tokens that this runner may hold, beside what all others do. */
  #aheadOf({ rate, subject, runner, ahead }: RateAsk, nowMs: number): number {
    const name = nameOf({ rate, subject })
    if (this.#isFull(name, nowMs)) return 0
    let free = heldMax(rate)
    for (const [other, held] of this.#held.get(name) ?? []) {
      if (other !== runner && held.untilMs > nowMs) free -= held.tokens
    }
    return Math.max(0, Math.min(ahead, free))
  }

  /** No more subjects have tokens that are held than are remembered. */
  #isFull(name: string, nowMs: number): boolean {
    if (this.#held.has(name) || this.#held.size < HttpLimits.rateSubjects.max) return false
    for (const [subject, runners] of this.#held) {
      for (const [runner, { untilMs }] of runners) if (untilMs <= nowMs) runners.delete(runner)
      if (runners.size === 0) this.#held.delete(subject)
    }
    return this.#held.size >= HttpLimits.rateSubjects.max
  }

  #hold(of: Pick<RateAsk, "rate" | "subject" | "runner">, held: Held): void {
    const name = nameOf(of)
    const { runner } = of
    const runners = this.#held.get(name)
    if (held.tokens > 0) {
      if (runners === undefined) this.#held.set(name, new Map([[runner, held]]))
      else runners.set(runner, held)
      return
    }
    runners?.delete(runner)
    if (runners?.size === 0) this.#held.delete(name)
  }
}
