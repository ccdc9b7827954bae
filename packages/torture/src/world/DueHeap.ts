/** Something that is to happen. Of two at the same moment the one that was asked for first comes first. */
export interface Due {
  readonly atMs: number
  readonly sequence: number
  run(): void
}

const before = (one: Due, other: Due): boolean =>
  one.atMs === other.atMs ? one.sequence < other.sequence : one.atMs < other.atMs

/** The events to come, soonest first. */
export class DueHeap {
  readonly #items: Array<Due> = []

  get first(): Due | undefined {
    return this.#items[0]
  }

  add(due: Due): void {
    const items = this.#items
    let at = items.length
    items.push(due)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent]
      if (above === undefined || !before(due, above)) break
      items[at] = above
      at = parent
    }
    items[at] = due
  }

  take(): Due | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last === undefined || last === first) return first
    let at = 0
    for (;;) {
      const child = this.#lesser(2 * at + 1)
      const below = items[child]
      if (below === undefined || !before(below, last)) break
      items[at] = below
      at = child
    }
    items[at] = last
    return first
  }

  #lesser(left: number): number {
    const [one, other] = [this.#items[left], this.#items[left + 1]]
    return one !== undefined && other !== undefined && before(other, one) ? left + 1 : left
  }
}
