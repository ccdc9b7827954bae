/** The values read last, together at most `weightMax`. Values never change, so nothing expires. */
export class RecentlyRead<Value> {
  readonly #values = new Map<string, Value>()
  readonly #weightMax: number
  readonly #weightOf: (value: Value) => number
  #weight = 0

  constructor(bound: { readonly weightMax: number; readonly weightOf: (value: Value) => number }) {
    this.#weightMax = bound.weightMax
    this.#weightOf = bound.weightOf
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) {
      this.#values.delete(key)
      this.#values.set(key, value)
    }
    return value
  }

  /** A value that is too heavy by itself is not kept, and displaces nothing. */
  set(key: string, value: Value): void {
    this.delete(key)
    const weight = this.#weightOf(value)
    if (weight > this.#weightMax) return
    this.#values.set(key, value)
    this.#weight += weight
    for (const oldest of this.#values.keys()) {
      if (this.#weight <= this.#weightMax) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#weight -= this.#weightOf(value)
  }
}
