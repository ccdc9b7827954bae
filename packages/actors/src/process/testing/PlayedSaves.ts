interface Waiter {
  readonly generation: boolean
  told(stored: boolean): void
}

interface Requested {
  readonly id: number
  readonly generation: boolean
  readonly waiters: ReadonlyArray<Waiter>
}

/** Saves that a room's code waits for. See runtime/room/Saves.ts, which is the same with promises. */
export class PlayedSaves {
  readonly #request: (saveId: number, generation: boolean) => void
  #lastId = 0
  #asked: Array<Waiter> = []
  #requested: Requested | null = null

  constructor(request: (saveId: number, generation: boolean) => void) {
    this.#request = request
  }

  ask(generation: boolean, told: (stored: boolean) => void): void {
    this.#asked.push({ generation, told })
    this.#flush()
  }

  #flush(): void {
    if (this.#requested !== null || this.#asked.length === 0) return
    const waiters = this.#asked
    const generation = waiters.some((waiter) => waiter.generation)
    this.#requested = { id: ++this.#lastId, generation, waiters }
    this.#asked = []
    this.#request(this.#lastId, generation)
  }

  /** A snapshot is about to be taken: what was asked for by now is in it. */
  gather(): void {
    const requested = this.#requested
    if (requested === null) return
    const shares = (waiter: Waiter): boolean => requested.generation || !waiter.generation
    const waiters = [...requested.waiters, ...this.#asked.filter(shares)]
    this.#requested = { ...requested, waiters }
    this.#asked = this.#asked.filter((waiter) => !shares(waiter))
  }

  saved(saveId: number, stored: boolean, wall?: string): void {
    if (this.#requested?.id !== saveId) return
    const { waiters } = this.#requested
    this.#requested = null
    for (const waiter of waiters) {
      waiter.told(stored && (wall === undefined || !waiter.generation))
    }
    this.#flush()
  }
}
