import { Effect } from "effect"

/** Waits that may all take the same time. The first to begin is the first to be over. */
export class Deadlines<Waiter> {
  readonly #spanMs: number
  /** In the order in which they began. */
  readonly #dueAtMs = new Map<Waiter, number>()

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  begin(waiter: Waiter, nowMs: number): void {
    this.#dueAtMs.set(waiter, nowMs + this.#spanMs)
  }

  end(waiter: Waiter): void {
    this.#dueAtMs.delete(waiter)
  }

  /** When the next wait is over; `null` = nobody waits. */
  get nextAtMs(): number | null {
    for (const dueAtMs of this.#dueAtMs.values()) return dueAtMs
    return null
  }

  /** @returns those whose wait is over, which wait no more */
  due(nowMs: number): ReadonlyArray<Waiter> {
    const over: Array<Waiter> = []
    for (const [waiter, dueAtMs] of this.#dueAtMs) {
      if (dueAtMs > nowMs) break
      this.#dueAtMs.delete(waiter)
      over.push(waiter)
    }
    return over
  }
}

/** The clock of waits, and what happens when one is over. */
export interface DeadlineWatch<Waiter> {
  readonly spanMs: number
  nowMs(): number
  sleep(ms: number): Effect.Effect<void>
  over(waiter: Waiter): void
  run(watching: Effect.Effect<void>): void
}

/** Watches waits with one timer for all of them, which is there while somebody waits. */
export const watchDeadlines = <Waiter>({
  spanMs,
  nowMs,
  sleep,
  over,
  run
}: DeadlineWatch<Waiter>): Pick<Deadlines<Waiter>, "end"> & { begin(waiter: Waiter): void } => {
  const deadlines = new Deadlines<Waiter>(spanMs)
  let watching = false
  const watch: Effect.Effect<void> = Effect.suspend(() => {
    for (const waiter of deadlines.due(nowMs())) over(waiter)
    const { nextAtMs } = deadlines
    if (nextAtMs !== null) return Effect.andThen(sleep(nextAtMs - nowMs()), watch)
    watching = false
    return Effect.void
  })
  return {
    begin: (waiter) => {
      deadlines.begin(waiter, nowMs())
      if (watching) return
      watching = true
      run(watch)
    },
    end: (waiter) => deadlines.end(waiter)
  }
}
