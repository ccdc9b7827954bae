import type { RateAnswer, RateAsk } from "@atrium/domain/rates/RateOwner"
import { RateWallet } from "@atrium/domain/rates/RateWallet"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import type { CountLimit, RateLimit } from "@atrium/wire/limits/Limit"

/** A rate that all runners count together. Answers that need no question of another runner come at once. */
export interface SharedRate {
  /**
   * Takes a token.
   *
   * @param limit the subject's own, when it is not that of all
   * @returns 0 = taken; else the time until there is one again, in ms
   */
  take(subject: string, nowMs: number, limit?: RateLimit): number | Promise<number>
  /** The answer that {@link take} would give. It takes nothing. */
  look(subject: string, nowMs: number, limit?: RateLimit): number | Promise<number>
  /** A token was taken for what did not happen after all. */
  giveBack(subject: string): void
}

/** The way to the owners of buckets, and the time. */
export interface RateOwners {
  /** `null` = the owner does not answer. Never rejects. */
  ask(ask: Omit<RateAsk, "runner">): Promise<RateAnswer | null>
  nowMs(): number
}

type Waiting = (retryAfterMs: number) => void

/** One subject of a rate. */
interface Book {
  readonly wallet: RateWallet
  readonly waiting: Array<Waiting>
  limit: RateLimit
  asks: boolean
}

/**
 * A rate whose buckets belong to owners among the runners. Requests that come while the owner is asked wait for the
 * answer together. While it cannot be asked this runner counts by itself, as if it were alone.
 */
export class OwnedRate implements SharedRate {
  readonly #limit: RateLimit
  readonly #owners: RateOwners
  readonly #subjects: CountLimit
  readonly #alone: RateLedger
  readonly #books = new Map<string, Book>()

  constructor(limit: RateLimit, owners: RateOwners, subjects: CountLimit) {
    this.#limit = limit
    this.#owners = owners
    this.#subjects = subjects
    this.#alone = new RateLedger(limit, subjects)
  }

  /** Subjects that are remembered. */
  get size(): number {
    return this.#books.size
  }

  take(subject: string, nowMs: number, limit = this.#limit): number | Promise<number> {
    const book = this.#bookOf(subject, limit)
    const told = book.asks ? null : book.wallet.take(nowMs)
    if (told !== null) return told
    return new Promise((resolve) => {
      book.waiting.push(resolve)
      if (!book.asks) void this.#askFor(subject, book)
    })
  }

  look(subject: string, nowMs: number, limit = this.#limit): number | Promise<number> {
    const told = this.#books.get(subject)?.wallet.look(nowMs) ?? null
    return told ?? this.#looked(subject, limit)
  }

  giveBack(subject: string): void {
    const book = this.#bookOf(subject, this.#limit)
    if (book.wallet.giveBack(this.#owners.nowMs())) void this.#return(subject, book.limit, 1)
  }

  /** Gives back what nobody took in time, and forgets subjects of which there is nothing to know. */
  sweep(nowMs: number): void {
    for (const [subject, book] of this.#books) {
      if (book.asks) continue
      if (book.wallet.hasLapsed(nowMs)) void this.#askFor(subject, book)
      else if (book.wallet.isIdle(nowMs)) this.#books.delete(subject)
    }
  }

  #bookOf(subject: string, limit: RateLimit): Book {
    const known = this.#books.get(subject)
    if (known !== undefined) {
      known.limit = limit
      return known
    }
    if (this.#books.size >= this.#subjects.max) this.#forgetOne()
    const book = { wallet: new RateWallet(), waiting: [], limit, asks: false }
    this.#books.set(subject, book)
    return book
  }

  /** Forgets the subject that came first and has no request under way; its tokens are lost for a moment. */
  #forgetOne(): void {
    for (const [subject, { asks }] of this.#books) {
      if (!asks) return void this.#books.delete(subject)
    }
  }

  async #looked(subject: string, limit: RateLimit): Promise<number> {
    const ask = { rate: numbersOf(limit), subject, needed: 0, ahead: 0, back: 0 }
    const answer = await this.#owners.ask(ask)
    return answer?.retryAfterMs ?? this.#alone.look(subject, this.#owners.nowMs(), limit)
  }

  async #return(subject: string, limit: RateLimit, back: number): Promise<void> {
    await this.#owners.ask({ rate: numbersOf(limit), subject, needed: 0, ahead: 0, back })
  }

  /** Asks until no request waits. Where none waits it gives back what is held. */
  async #askFor(subject: string, book: Book): Promise<void> {
    book.asks = true
    do {
      const { wallet, waiting, limit } = book
      const needed = waiting.length
      const terms = wallet.ask(limit, needed, this.#owners.nowMs())
      const answer = await this.#owners.ask({ rate: numbersOf(limit), subject, ...terms })
      const nowMs = this.#owners.nowMs()
      if (answer === null) {
        for (const tell of waiting.splice(0)) tell(this.#alone.take(subject, nowMs, limit))
        break
      }
      const served = wallet.answered(answer, needed, nowMs)
      const asked = waiting.splice(0, needed)
      for (const [at, tell] of asked.entries()) tell(at < served ? 0 : answer.retryAfterMs)
    } while (book.waiting.length > 0)
    book.asks = false
  }
}

const numbersOf = ({ says, burst, tokens, everyMs }: RateLimit) => ({
  says,
  burst,
  tokens,
  everyMs
})
