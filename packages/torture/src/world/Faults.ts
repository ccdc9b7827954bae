import type { Chance } from "../fuzz/Chance.ts"

/** One in so many; 0 = never. */
interface Rates {
  startFails: number
  startHangs: number
  messageLost: number
  messageLate: number
}

const calm = (): Rates => ({ startFails: 0, startHangs: 0, messageLost: 0, messageLate: 0 })

const lateMsMax = 45_000

/** What goes wrong by itself, as often as the weather of a world has it. */
export class Faults {
  readonly #chance: Chance
  rates = calm()

  constructor(chance: Chance) {
    this.#chance = chance
  }

  mend(): void {
    this.rates = calm()
  }

  #happens(rate: number): boolean {
    return rate > 0 && this.#chance.one(rate)
  }

  startFails(): boolean {
    return this.#happens(this.rates.startFails)
  }

  startHangs(): boolean {
    return this.#happens(this.rates.startHangs)
  }

  messageLost(): boolean {
    return this.#happens(this.rates.messageLost)
  }

  messageDelayMs(): number {
    return this.#happens(this.rates.messageLate) ? this.#chance.below(lateMsMax) : 0
  }
}
