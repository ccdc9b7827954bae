/** The poses of one body at the last ticks, which may have gaps. */
export class PoseTrail {
  readonly #size: number
  readonly #depth: number
  readonly #ticks: Float64Array
  readonly #words: Float32Array
  #newest = Number.NEGATIVE_INFINITY

  constructor(of: { readonly words: number; readonly depth: number }) {
    this.#size = of.words
    this.#depth = of.depth
    this.#ticks = new Float64Array(of.depth).fill(Number.NaN)
    this.#words = new Float32Array(of.depth * of.words)
  }

  /** Of the last pose; `-Infinity` = there is none. */
  get newestTick(): number {
    return this.#newest
  }

  /** The place of the pose of a tick, for the caller to fill. Poses after that tick are forgotten. */
  put(tick: number): Float32Array {
    const place = tick % this.#depth
    this.#ticks[place] = tick
    this.#newest = tick
    return this.#words.subarray(place * this.#size, (place + 1) * this.#size)
  }

  at(tick: number): Float32Array | undefined {
    const place = tick % this.#depth
    if (tick > this.#newest || this.#ticks[place] !== tick) return undefined
    return this.#words.subarray(place * this.#size, (place + 1) * this.#size)
  }

  /** The poses beside a moment between two ticks; before the first and after the last one both are that one. */
  around(tick: number): Around | undefined {
    if (this.#newest === Number.NEGATIVE_INFINITY) return undefined
    const from = Math.min(Math.floor(tick), this.#newest)
    const before = this.#find(from, -1)
    const after = this.#find(Math.max(from + 1, this.#newest - this.#depth + 1), 1)
    const [a, b] = [before ?? after, after ?? before]
    if (a === undefined || b === undefined) return undefined
    const span = b.tick - a.tick
    return { before: a.pose, after: b.pose, share: span === 0 ? 0 : (tick - a.tick) / span }
  }

  clear(): void {
    this.#newest = Number.NEGATIVE_INFINITY
    this.#ticks.fill(Number.NaN)
  }

  #find(
    from: number,
    way: 1 | -1
  ): { readonly tick: number; readonly pose: Float32Array } | undefined {
    const oldest = this.#newest - this.#depth
    for (let tick = from; tick <= this.#newest && tick > oldest; tick += way) {
      const pose = this.at(tick)
      if (pose !== undefined) return { tick, pose }
    }
    return undefined
  }
}

/** Two poses, and how far between them a moment is. */
export interface Around {
  readonly before: Float32Array
  readonly after: Float32Array
  /** From 0 to 1. */
  readonly share: number
}
