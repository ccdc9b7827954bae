export interface OutboxBounds {
  readonly entriesMax: number
  readonly bytesMax: number
}

/** Frames that wait while the connection is away: first in, first out, bounded twice. */
export class Outbox<Entry extends { readonly body: Uint8Array }> {
  readonly #bounds: OutboxBounds
  #entries: Array<Entry> = []
  #bytes = 0

  constructor(bounds: OutboxBounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#entries.length
  }

  /** Keeps the entry, or tells by false that there is no room for it. */
  push(entry: Entry): boolean {
    const bytes = this.#bytes + entry.body.byteLength
    if (this.#entries.length >= this.#bounds.entriesMax || bytes > this.#bounds.bytesMax)
      return false
    this.#entries.push(entry)
    this.#bytes = bytes
    return true
  }

  /** Empties the box and returns what it held, oldest first. */
  takeAll(): ReadonlyArray<Entry> {
    const entries = this.#entries
    this.#entries = []
    this.#bytes = 0
    return entries
  }

  remove(matches: (entry: Entry) => boolean): void {
    this.#entries = this.#entries.filter((entry) => !matches(entry))
    this.#bytes = this.#entries.reduce((bytes, entry) => bytes + entry.body.byteLength, 0)
  }
}
