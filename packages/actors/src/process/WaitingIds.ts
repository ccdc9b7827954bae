import { HostFrameError } from "@atrium/runtime/host/HostFrames"

/** Requests of one kind that a room process waits for, by the ids that it chose. */
export class WaitingIds {
  readonly #what: string
  readonly #max: number
  readonly #ids = new Set<number>()

  constructor(what: string, max: number) {
    this.#what = what
    this.#max = max
  }

  /** Errors: `HostFrameError`: the id waits already, or more wait than may. */
  add(id: number): void {
    if (this.#ids.has(id)) throw new HostFrameError(`${this.#what} ${id} was requested twice`)
    if (this.#ids.size >= this.#max) throw new HostFrameError(`too many ${this.#what}s wait`)
    this.#ids.add(id)
  }

  /** @returns whether the id waited */
  delete(id: number): boolean {
    return this.#ids.delete(id)
  }
}
