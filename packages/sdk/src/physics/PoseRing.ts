import { RecordWords } from "./PoseLayout.ts"

/** The bodies of one collection after one tick, by ascending id of their entities. */
export interface PoseSlot {
  tick: number
  count: number
  /** Words of a body. */
  readonly size: number
  words: Float32Array
  /** The same bytes. */
  ids: Uint32Array
  /** The channels of a body stand together. */
  channels: Float32Array
}

/** The poses of one collection's bodies after each of the last ticks. Its memory is exactly that of its arrays. */
export class PoseRing {
  readonly #wordsPerBody: number
  readonly #channels: number
  readonly #slots: Array<PoseSlot> = []
  readonly #depth: number
  #next = 0

  constructor(of: {
    readonly dimensions: 2 | 3
    readonly depth: number
    readonly channels: number
  }) {
    this.#wordsPerBody = RecordWords[of.dimensions]
    this.#channels = of.channels
    this.#depth = of.depth
  }

  get poseBytes(): number {
    return this.#slots.reduce((sum, { words }) => sum + words.byteLength, 0)
  }

  get channelBytes(): number {
    return this.#slots.reduce((sum, { channels }) => sum + channels.byteLength, 0)
  }

  /** The slot of a tick, over the oldest one: the caller fills it. Nothing is allocated while the number of bodies stays. */
  take(tick: number, count: number): PoseSlot {
    const slot = this.#slots[this.#next] ?? this.#add()
    this.#next = (this.#next + 1) % this.#depth
    slot.tick = tick
    slot.count = count
    if (slot.words.length === count * slot.size) return slot
    slot.words = new Float32Array(count * this.#wordsPerBody)
    slot.ids = new Uint32Array(slot.words.buffer)
    slot.channels = new Float32Array(count * this.#channels)
    return slot
  }

  /** The slot of a tick, or the nearest one; `undefined` = there is none yet. */
  at(tick: number): PoseSlot | undefined {
    const wanted = Math.min(Math.max(tick, 0), Number.MAX_SAFE_INTEGER)
    let best: PoseSlot | undefined
    for (const slot of this.#slots) {
      if (best === undefined || Math.abs(slot.tick - wanted) < Math.abs(best.tick - wanted)) {
        best = slot
      }
    }
    return best
  }

  #add(): PoseSlot {
    const none = new Float32Array(0)
    const ids = new Uint32Array(0)
    const size = this.#wordsPerBody
    const slot = { tick: 0, count: 0, size, words: none, ids, channels: none }
    this.#slots.push(slot)
    return slot
  }
}

/** The place of an entity's body in a slot; `-1` = it has none. */
export const placeOf = ({ ids, count, size }: PoseSlot, id: number): number => {
  let [low, high] = [0, count - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = ids[(middle + 1) * size - 2] ?? 0
    if (found === id) return middle
    if (found < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}
