import { ByteWriter } from "../codec/ByteWriter.ts"
import { ChunkVersion, EntryKind } from "./ChunkLayout.ts"

/** The state at the beginning of a chunk. */
export interface Keyframe {
  /** Unix milliseconds. */
  readonly atMs: number
  /** The number of the last patch that is in the state. */
  readonly tick: number
  /** As `encodeFull` wrote it. */
  readonly state: Uint8Array
}

/** The longest span between two entries: later ones would seem to come at once. */
const SpanMsMax = 0xffff_ffff

/** Writes one chunk of a replay: a keyframe, then patches and messages in the order in which they left the room. */
export class ChunkWriter {
  readonly startMs: number
  /** Bytes of the keyframe, with the head of the chunk. */
  readonly headBytes: number
  readonly #writer: ByteWriter
  #lastMs: number

  /** @param before a chunk to which nothing is added any more: its memory is taken, as new memory costs more */
  constructor({ atMs, tick, state }: Keyframe, before: ChunkWriter | null = null) {
    this.startMs = atMs
    this.#lastMs = atMs
    this.#writer = before === null ? new ByteWriter() : before.#writer
    this.#writer.reset()
    this.#writer.u8(ChunkVersion.plain)
    this.#writer.f64(atMs)
    this.#writer.varuint(tick)
    this.#writer.bytes(state)
    this.headBytes = this.#writer.length
  }

  get length(): number {
    return this.#writer.length
  }

  /** Moment of the last entry. */
  get lastMs(): number {
    return this.#lastMs
  }

  /** The delta leads to the next tick. */
  patch(atMs: number, delta: Uint8Array): void {
    this.#entry(EntryKind.patch, atMs)
    this.#writer.bytes(delta)
  }

  /** @param frame a `msg` frame of the protocol */
  message(atMs: number, frame: Uint8Array): void {
    this.#entry(EntryKind.message, atMs)
    this.#writer.bytes(frame)
  }

  /** The chunk as it is until then. More can be added afterwards, in the place of this end. */
  finish(atMs: number): Uint8Array {
    const { length } = this.#writer
    const lastMs = this.#lastMs
    this.#entry(EntryKind.end, atMs)
    const chunk = this.#writer.finish()
    this.#writer.truncate(length)
    this.#lastMs = lastMs
    return chunk
  }

  #entry(kind: number, atMs: number): void {
    // A clock that is set back stands still here.
    const span = Math.min(SpanMsMax, Math.max(0, Math.round(atMs - this.#lastMs)))
    this.#lastMs += span
    this.#writer.u8(kind)
    this.#writer.varuint(span)
  }
}
