import { Deferred, Effect, Exit, type Fiber } from "effect"

/** How {@link Batches} performs calls. */
export interface BatchesOptions<Group, Call, Outcome> {
  /** Performs calls of one group together. @returns the outcome of each, in their order */
  perform(group: Group, calls: ReadonlyArray<Call>): Effect.Effect<ReadonlyArray<Outcome>>
  /** A batch has at most one call of each name; left out = any number. */
  nameOf?(call: Call): string
  /** Calls of a batch. */
  readonly most: number
  run(effect: Effect.Effect<void>): Fiber.Fiber<void>
}

interface Waiting<Call, Outcome> {
  readonly call: Call
  readonly answer: Deferred.Deferred<Outcome>
  /** Nobody waits for the answer any more. */
  abandoned: boolean
}

/**
 * Calls to the store that many make at once. Of each group one batch is under way; the calls that come
 * meanwhile are performed together after it, so that many callers cost few statements. A batch that fails
 * fails its own calls alone.
 */
export class Batches<Group, Call, Outcome> {
  readonly #options: BatchesOptions<Group, Call, Outcome>
  /** A group that is here has a batch under way. */
  readonly #waiting = new Map<Group, Array<Waiting<Call, Outcome>>>()

  constructor(options: BatchesOptions<Group, Call, Outcome>) {
    this.#options = options
  }

  /** Completes with the outcome of the call. A caller that is interrupted before its batch begins asks nothing. */
  ask(group: Group, call: Call): Effect.Effect<Outcome> {
    return Effect.suspend(() => {
      const waiting = { call, answer: Deferred.makeUnsafe<Outcome>(), abandoned: false }
      const others = this.#waiting.get(group)
      if (others === undefined) {
        this.#waiting.set(group, [waiting])
        this.#options.run(this.#performAll(group))
      } else others.push(waiting)
      return Effect.onInterrupt(Deferred.await(waiting.answer), () =>
        Effect.sync(() => {
          waiting.abandoned = true
        })
      )
    })
  }

  #performAll(group: Group): Effect.Effect<void> {
    return Effect.suspend(() => {
      const batch = this.#take(group)
      if (batch.length === 0) {
        this.#waiting.delete(group)
        return Effect.void
      }
      const calls = batch.map(({ call }) => call)
      return this.#options.perform(group, calls).pipe(
        Effect.exit,
        Effect.flatMap((exit) => {
          for (const [at, { answer }] of batch.entries()) {
            Deferred.doneUnsafe(
              answer,
              Exit.map(exit, (outcomes) => outcomeAt(outcomes, at))
            )
          }
          return this.#performAll(group)
        })
      )
    })
  }

  /** Takes the calls of the next batch, in their order; the others stay. */
  #take(group: Group): ReadonlyArray<Waiting<Call, Outcome>> {
    const { nameOf, most } = this.#options
    const [batch, left]: [Array<Waiting<Call, Outcome>>, Array<Waiting<Call, Outcome>>] = [[], []]
    // Of those that stay, too: a later call of a name does not overtake an earlier one.
    const names = new Set<string>()
    for (const waiting of this.#waiting.get(group) ?? []) {
      if (waiting.abandoned) continue
      const name = nameOf?.(waiting.call)
      const isNew = name === undefined || !names.has(name)
      if (name !== undefined) names.add(name)
      if (isNew && batch.length < most) batch.push(waiting)
      else left.push(waiting)
    }
    this.#waiting.set(group, left)
    return batch
  }
}

const outcomeAt = <Outcome>(outcomes: ReadonlyArray<Outcome>, at: number): Outcome => {
  const outcome = outcomes[at]
  if (outcome === undefined) throw new Error(`call ${at} of ${outcomes.length} has no outcome`)
  return outcome
}
