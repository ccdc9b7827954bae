import type { Footage } from "./ReplayRing.ts"

/** Chunks that the service has not taken yet. They outlive the ring. */
export class Pins {
  readonly #pinned = new Map<number, { readonly chunk: Footage; count: number }>()

  get size(): number {
    return this.#pinned.size
  }

  pin(chunk: Footage): void {
    const known = this.#pinned.get(chunk.number)
    if (known === undefined) this.#pinned.set(chunk.number, { chunk, count: 1 })
    else known.count += 1
  }

  get(number: number): Footage | undefined {
    return this.#pinned.get(number)?.chunk
  }

  unpin(number: number): void {
    const known = this.#pinned.get(number)
    if (known === undefined) return
    known.count -= 1
    if (known.count === 0) this.#pinned.delete(number)
  }
}
