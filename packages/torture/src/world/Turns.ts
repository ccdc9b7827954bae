import type { Chance } from "@atrium/api/testing/Chance"

import { Violation } from "./Violation.ts"

/** Somebody who has something to do at once. */
export interface Ready {
  /** @returns whether there is more to do */
  turn(): boolean
}

/** Turns in a row without a pass of time: more mean that fibers wake each other for ever. */
const turnsMax = 400_000

/** Whose turn it is: of all who have something to do now, the seed picks one after another. */
export class Turns {
  readonly #ready: Array<Ready> = []
  readonly #chance: Chance
  taken = 0

  constructor(chance: Chance) {
    this.#chance = chance
  }

  add(one: Ready): void {
    this.#ready.push(one)
  }

  /** Gives turns until nobody has anything to do, or until it is stopped. */
  settle(stopped: () => boolean): void {
    const ready = this.#ready
    for (let turns = 0; ready.length > 0 && !stopped(); turns++) {
      if (turns > turnsMax) throw new Violation("livelock", "time does not go on")
      const at = ready.length === 1 ? 0 : this.#chance.below(ready.length)
      const one = ready[at]
      this.taken++
      if (one?.turn() === true) continue
      // Its turn may have added others behind it; its own place is the same.
      const last = ready.pop()
      if (last !== undefined && at < ready.length) ready[at] = last
    }
  }
}
