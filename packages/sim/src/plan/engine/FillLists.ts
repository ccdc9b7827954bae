import { grown } from "./EventHeap.ts"

/** Rooms by how many players they have: the fullest that has a place is found at once. */
export class FillLists {
  readonly #heads: Int32Array
  #next = new Int32Array(1024).fill(-1)
  #previous = new Int32Array(1024).fill(-1)
  /** No list above it has a room. */
  #highest = -1

  /** @param most players of a room; a full one is in no list */
  constructor(most: number) {
    this.#heads = new Int32Array(most).fill(-1)
  }

  /** The fullest room with a place; -1 = there is none. */
  fullest(): number {
    while (this.#highest >= 0 && (this.#heads[this.#highest] ?? -1) < 0) this.#highest -= 1
    return this.#highest < 0 ? -1 : (this.#heads[this.#highest] ?? -1)
  }

  add(room: number, players: number): void {
    if (players >= this.#heads.length) return
    if (room >= this.#next.length) this.#grow(room)
    const head = this.#heads[players] ?? -1
    this.#next[room] = head
    this.#previous[room] = -1
    if (head >= 0) this.#previous[head] = room
    this.#heads[players] = room
    this.#highest = Math.max(this.#highest, players)
  }

  remove(room: number, players: number): void {
    if (players >= this.#heads.length) return
    const [next, previous] = [this.#next[room] ?? -1, this.#previous[room] ?? -1]
    if (previous >= 0) this.#next[previous] = next
    else this.#heads[players] = next
    if (next >= 0) this.#previous[next] = previous
  }

  #grow(room: number): void {
    const size = Math.max(room + 1, this.#next.length * 2)
    this.#next = grown(this.#next, new Int32Array(size).fill(-1))
    this.#previous = grown(this.#previous, new Int32Array(size).fill(-1))
  }
}
