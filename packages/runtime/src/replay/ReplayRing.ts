import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

/** One chunk of footage, compressed. */
export interface Footage {
  /** Its place among all chunks of this process. */
  readonly number: number
  /** Unix milliseconds. */
  readonly fromMs: number
  readonly toMs: number
  /** Bytes before they were compressed. */
  readonly plainBytes: number
  readonly bytes: Uint8Array
}

/** The last seconds of a room, as compressed chunks in their order. Past its bounds the oldest go. */
export class ReplayRing {
  readonly #spanMs: number
  #bytesMax: number = ReplayLimits.ringBytes.max
  #bytes = 0
  #chunks: Array<Footage> = []

  /** @param spanMs footage that the room's type declares */
  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** Compressed bytes that it may hold now. */
  get bytesMax(): number {
    return this.#bytesMax
  }

  get chunks(): ReadonlyArray<Footage> {
    return this.#chunks
  }

  /** Its server is near its memory limit, or has memory again. */
  resize(bytesMax: number): void {
    this.#bytesMax = bytesMax
    this.#drop(0)
  }

  add(chunk: Footage): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.bytes.length
    this.#drop(chunk.toMs - this.#spanMs)
  }

  clear(): void {
    this.#chunks = []
    this.#bytes = 0
  }

  /** @param fromMs what ended before this moment goes */
  #drop(fromMs: number): void {
    let gone = 0
    for (const { toMs, bytes } of this.#chunks) {
      if (toMs >= fromMs && this.#bytes <= this.#bytesMax) break
      this.#bytes -= bytes.length
      gone += 1
    }
    if (gone > 0) this.#chunks = this.#chunks.slice(gone)
  }
}
