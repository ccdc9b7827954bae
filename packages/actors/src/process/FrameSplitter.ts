import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { FrameHeaderBytes, HostFrameError } from "@atrium/runtime/host/HostFrames"
import { KiB } from "@atrium/wire/limits/Limit"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

/** Memory for the first bytes of an unfinished frame. It doubles as more of them come. */
const FirstBytes = 4 * KiB

const Nothing = Buffer.allocUnsafeSlow(0)

interface FrameReader {
  /** Payloads are views that hold until the call returns. */
  frame(kind: number, payload: Buffer): void
  /** Longest frame of this kind that is taken now; asked for those over `RoomProcessLimits.roomUnaskedBytes`. */
  lengthMax(kind: number): number
}

/**
 * Puts frames together from what was read. An unfinished frame has memory for what came of it, at
 * most twice as much, whatever length it announced and however small its pieces are.
 */
export class FrameSplitter {
  readonly #reader: FrameReader
  #held: Buffer<ArrayBuffer> = Nothing
  #size = 0
  #closed = false

  constructor(reader: FrameReader) {
    this.#reader = reader
  }

  /** Memory of the unfinished frame. */
  get heldBytes(): number {
    return this.#held.length
  }

  /** Errors: {@link HostFrameError}. */
  read(chunk: Buffer): void {
    let at = 0
    while (this.#size > 0 && at < chunk.length) {
      const bytes = Math.min(this.#wanted() - this.#size, chunk.length - at)
      this.#hold(chunk.subarray(at, at + bytes))
      at += bytes
      this.#finish()
    }
    while (!this.#closed && chunk.length - at >= 4) {
      const size = 4 + this.#frameLength(chunk, at)
      if (chunk.length - at < size) break
      this.#reader.frame(chunk[at + 4] ?? 0, chunk.subarray(at + FrameHeaderBytes, at + size))
      at += size
    }
    if (at < chunk.length) this.#hold(chunk.subarray(at))
  }

  /** Gives the memory back at once, and reads nothing more. */
  close(): void {
    this.#closed = true
    this.#release(this.#held)
    this.#held = Nothing
    this.#size = 0
  }

  /** Size of the frame that is held, `4` while its length is not known. */
  #wanted(): number {
    return this.#size < 4 ? 4 : 4 + this.#frameLength(this.#held.subarray(0, this.#size), 0)
  }

  #hold(bytes: Buffer): void {
    if (this.#closed) return
    const size = this.#size + bytes.length
    if (size > this.#held.length) this.#grow(size)
    this.#held.set(bytes, this.#size)
    this.#size = size
  }

  #grow(size: number): void {
    const before = this.#held
    this.#held = Buffer.allocUnsafeSlow(Math.max(FirstBytes, 2 * size))
    this.#held.set(before.subarray(0, this.#size))
    this.#release(before)
  }

  #finish(): void {
    if (this.#size < 4 || this.#size < this.#wanted()) return
    const frame = this.#held.subarray(0, this.#size)
    this.#held = Nothing
    this.#size = 0
    this.#reader.frame(frame[4] ?? 0, frame.subarray(FrameHeaderBytes))
  }

  /** At once: the garbage collector need not come for minutes. */
  #release({ buffer }: Buffer<ArrayBuffer>): void {
    if (buffer.byteLength > 0) buffer.transfer(0)
  }

  #frameLength(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32LE(at)
    if (length < 1) throw new HostFrameError("a frame has no kind")
    if (length <= RoomProcessLimits.roomUnaskedBytes.max) return length
    // The kind of a frame whose length alone has come is not known yet.
    const kind = bytes[at + 4]
    const max = kind === undefined ? RuntimeLimits.roomFrameBytes.max : this.#reader.lengthMax(kind)
    if (length > max) throw new HostFrameError(`a frame of ${length} bytes is over ${max}`)
    return length
  }
}
