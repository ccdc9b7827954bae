import { ByteReader } from "../codec/ByteReader.ts"
import { ChunkVersion, EntryKind, MomentMsMax } from "./ChunkLayout.ts"
import type { Keyframe } from "./ChunkWriter.ts"
import { ReplayLimits } from "./ReplayLimits.ts"

/** One entry of a chunk. Its bytes are a view of the chunk's. */
export interface ChunkEntry {
  readonly kind: "patch" | "message" | "end"
  /** Unix milliseconds. */
  readonly atMs: number
  /** The number of the last patch, with this one. */
  readonly tick: number
  /** A delta, or a `msg` frame; empty at the end. */
  readonly bytes: Uint8Array
}

/**
 * Reads a chunk entry by entry, so that a chunk of many small ones takes no memory. Nothing in it is
 * trusted. Errors: `CodecError`, from every method.
 */
export class ChunkReader {
  readonly keyframe: Keyframe
  readonly #reader: ByteReader
  #atMs: number
  #tick: number
  #ended = false

  /** @param chunk plain: `unpackChunk` makes it so */
  constructor(chunk: Uint8Array) {
    const reader = new ByteReader(chunk)
    if (chunk.length > ReplayLimits.replayChunkBytes.max)
      reader.fail(`a chunk of ${chunk.length} bytes`)
    const version = reader.u8()
    if (version !== ChunkVersion.plain) reader.fail(`a chunk of version ${version}`)
    const atMs = reader.f64()
    if (!(atMs >= 0 && atMs <= MomentMsMax)) reader.fail("a chunk of no moment")
    const tick = reader.varuint()
    const state = reader.peek(reader.varuint())
    this.keyframe = { atMs, tick, state }
    this.#reader = reader
    this.#atMs = atMs
    this.#tick = tick
  }

  /** The next entry; `null` after the one that ends the chunk. */
  next(): ChunkEntry | null {
    if (this.#ended) return null
    const reader = this.#reader
    const kind = reader.u8()
    this.#atMs += reader.varuint()
    const atMs = this.#atMs
    switch (kind) {
      case EntryKind.patch:
        this.#tick++
        return { kind: "patch", atMs, tick: this.#tick, bytes: reader.peek(reader.varuint()) }
      case EntryKind.message:
        return { kind: "message", atMs, tick: this.#tick, bytes: reader.peek(reader.varuint()) }
      case EntryKind.end:
        reader.end()
        this.#ended = true
        return { kind: "end", atMs, tick: this.#tick, bytes: nothing }
      default:
        return reader.fail(`an entry of kind ${kind}`)
    }
  }
}

const nothing = new Uint8Array(0)
