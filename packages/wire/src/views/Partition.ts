import type { Audience } from "./Audience.ts"

/** Viewers, parted into classes: two are in one class if every audience so far has both of them or neither. */
export class Partition {
  /** How many classes there are. */
  count = 1
  /** The class of each viewer. */
  readonly classes: Int32Array
  readonly #places: ReadonlyArray<number>
  #next: Int32Array

  /** @param places of the viewers; all of them are in class 0 to begin with */
  constructor(places: ReadonlyArray<number>) {
    this.#places = places
    this.classes = new Int32Array(places.length)
    this.#next = new Int32Array(2 * places.length)
  }

  /** Parts those whom the audience has from those whom it has not. */
  refine(audience: Audience): void {
    // Every viewer is in a class of its own already.
    if (this.count >= this.#places.length) return
    this.#next.fill(-1)
    let count = 0
    for (let index = 0; index < this.#places.length; index += 1) {
      const isIn = audience.has(this.#places[index] ?? 0) ? 1 : 0
      const key = 2 * (this.classes[index] ?? 0) + isIn
      let next = this.#next[key] ?? -1
      if (next < 0) {
        next = count
        this.#next[key] = next
        count += 1
      }
      this.classes[index] = next
    }
    this.count = count
  }

  /** Parts those whom another partition of the same viewers parts. */
  meet(other: Partition): void {
    if (other.count === 1) return
    const next = new Map<number, number>()
    for (let index = 0; index < this.#places.length; index += 1) {
      const key = (this.classes[index] ?? 0) * other.count + (other.classes[index] ?? 0)
      const known = next.get(key) ?? next.size
      next.set(key, known)
      this.classes[index] = known
    }
    this.count = next.size
  }

  /** The first viewer of each class, as an index into the viewers. */
  first(): ReadonlyArray<number> {
    const first: Array<number> = []
    for (let index = 0; index < this.#places.length; index += 1) {
      first[this.classes[index] ?? 0] ??= index
    }
    return first
  }
}
