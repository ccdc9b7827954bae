import type { Chance } from "../fuzz/Chance.ts"
import type { Timeline } from "./Timeline.ts"
import { done, Failure, failed, type Outcome, waitFor, type Work } from "./Work.ts"

const latencyMsMax = 12

/**
 * The way to the store and back: it takes its time, it stalls, and it fails before or after it has
 * done what it was asked for. What was sent arrives, whatever becomes of the sender.
 */
export class StoreDoor {
  readonly #timeline: Timeline
  readonly #chance: Chance
  #awayUntilMs = 0
  #stalledUntilMs = 0
  /** One in so many answers is a failure; 0 = none. */
  failsOneIn = 0

  constructor(timeline: Timeline, chance: Chance) {
    this.#timeline = timeline
    this.#chance = chance
  }

  /** Every question fails at once for so long. */
  goAway(ms: number): void {
    this.#awayUntilMs = this.#timeline.machineMs + ms
  }

  /** Questions wait for so long. */
  stall(ms: number): void {
    this.#stalledUntilMs = this.#timeline.machineMs + ms
  }

  mend(): void {
    this.failsOneIn = 0
    this.#awayUntilMs = 0
    this.#stalledUntilMs = 0
  }

  *ask<A>(does: () => A): Work<A> {
    const timeline = this.#timeline
    const stalledMs = Math.max(0, this.#stalledUntilMs - timeline.machineMs)
    const thereMs = stalledMs + this.#chance.below(latencyMsMax)
    const fails = this.failsOneIn > 0 && this.#chance.one(this.failsOneIn)
    const failsBefore = fails && this.#chance.one(2)
    return yield* waitFor<A>((wake) => {
      timeline.after(thereMs, () => {
        if (failsBefore || timeline.machineMs < this.#awayUntilMs) {
          return wake(failed(new Failure("Store", "the store is away")))
        }
        const answer = attempt(does)
        const lost = failed(new Failure("Store", "the answer is lost"))
        const outcome = fails ? lost : answer
        timeline.after(this.#chance.below(latencyMsMax), () => wake(outcome))
      })
    })
  }
}

const attempt = <A>(does: () => A): Outcome<A> => {
  try {
    return done(does())
  } catch (error) {
    if (error instanceof Failure) return failed(error)
    throw error
  }
}
