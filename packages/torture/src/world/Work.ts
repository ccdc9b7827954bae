import type { Timeline } from "./Timeline.ts"

/** How something ended. */
export type Outcome<A = unknown> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: unknown }

type Wake = (outcome: Outcome) => void
/** What a shell waits for; it wakes once. */
type Wait = (wake: Wake) => void

/**
 * What a shell does, step by step: it reads like the real one, with `yield*` wherever that awaits.
 * Between two steps anything may happen, its own end included.
 */
export type Work<A> = Generator<Wait, A, Outcome>

/** A failure that the shells reckon with, such as a store that does not answer; no error, as it is cheap. */
export class Failure {
  readonly tag: string
  readonly message: string

  constructor(tag: string, message = tag) {
    this.tag = tag
    this.message = message
  }
}

export const isFailure = (error: unknown, tag: string): error is Failure =>
  error instanceof Failure && error.tag === tag

/**
 * Where fibers live: when it ends they do, without any last word, and what hangs on it is let go. A
 * runner, an actor, a room, an incarnation.
 */
export class Group {
  #alive = true
  readonly #lets: Array<() => void> = []

  constructor(parent: Group | null) {
    parent?.onEnd(() => this.end())
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Of a group that has ended already it happens at once. */
  onEnd(letGo: () => void): void {
    if (this.#alive) this.#lets.push(letGo)
    else letGo()
  }

  end(): void {
    if (!this.#alive) return
    this.#alive = false
    for (const letGo of this.#lets) letGo()
  }
}

export class Fiber<A> {
  readonly #group: Group
  readonly #work: Work<A>
  #cancelled = false
  #outcome: Outcome<A> | null = null
  readonly #waiting: Array<(outcome: Outcome<A>) => void> = []

  constructor(timeline: Timeline, group: Group, work: Work<A>) {
    this.#group = group
    this.#work = work
    timeline.after(0, () => this.#resume({ ok: true, value: undefined }))
  }

  get running(): boolean {
    return this.#outcome === null && !this.#cancelled && this.#group.alive
  }

  cancel(): void {
    this.#cancelled = true
  }

  #resume(outcome: Outcome): void {
    if (!this.running) return
    try {
      const next = this.#work.next(outcome)
      if (next.done === true) return this.#end({ ok: true, value: next.value })
      let woken = false
      next.value((wokenBy) => {
        if (woken) return
        woken = true
        this.#resume(wokenBy)
      })
    } catch (error) {
      // A failure that nobody waits for is a defect of a shell, and so is every other error.
      if (!(error instanceof Failure) || this.#waiting.length === 0) throw error
      this.#end({ ok: false, error })
    }
  }

  #end(outcome: Outcome<A>): void {
    this.#outcome = outcome
    for (const tell of this.#waiting) tell(outcome)
  }

  /** Tells the outcome when it is there; of a fiber that was ended from outside never. */
  onEnd(tell: (outcome: Outcome<A>) => void): void {
    if (this.#outcome === null) this.#waiting.push(tell)
    else tell(this.#outcome)
  }
}

/** Waits for whatever wakes it with a value of this type. */
export function* waitFor<A>(arm: (wake: (outcome: Outcome<A>) => void) => void): Work<A> {
  const outcome = yield (wake) => arm(wake)
  if (!outcome.ok) throw outcome.error
  return outcome.value as A // Typed where it wakes: a generator has one type for all that it waits for.
}

export const done = <A>(value: A): Outcome<A> => ({ ok: true, value })
export const failed = (error: unknown): Outcome<never> => ({ ok: false, error })

/** Something that becomes known once. */
export class Later<A> {
  #outcome: Outcome<A> | null = null
  readonly #waiting: Array<(outcome: Outcome<A>) => void> = []

  get isDone(): boolean {
    return this.#outcome !== null
  }

  /** Only the first time counts. */
  tell(outcome: Outcome<A>): void {
    if (this.#outcome !== null) return
    this.#outcome = outcome
    for (const wake of this.#waiting) wake(outcome)
  }

  onTold(wake: (outcome: Outcome<A>) => void): void {
    if (this.#outcome === null) this.#waiting.push(wake)
    else wake(this.#outcome)
  }

  *wait(): Work<A> {
    return yield* waitFor<A>((wake) => this.onTold(wake))
  }
}

/** One holder at a time, in the order of asking. */
export class Lock {
  #held = false
  readonly #waiting: Array<() => void> = [];

  *take(): Work<void> {
    if (this.#held) yield* waitFor<void>((wake) => this.#waiting.push(() => wake(done(undefined))))
    this.#held = true
  }

  give(): void {
    this.#held = false
    // Whoever was ended while it waited does not take it.
    while (!this.#held && this.#waiting.length > 0) this.#waiting.shift()?.()
  }
}
