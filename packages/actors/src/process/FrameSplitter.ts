import { Limits } from "@atrium/domain/Limits"
import { FrameHeaderBytes, HostFrameError } from "@atrium/sdk/room/HostFrames"

/** Puts frames together from what was read. Pieces are joined once, when a frame is whole. */
export class FrameSplitter {
  #chunks: Buffer[] = []
  #bytesHeld = 0
  readonly #onFrame: (kind: number, payload: Buffer) => void

  constructor(onFrame: (kind: number, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  /** Payloads are views that hold until the call returns. Errors: {@link HostFrameError}. */
  read(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytesHeld += chunk.length
    if (this.#bytesHeld < this.#bytesWanted()) return
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    while (bytes.length >= 4) {
      const size = 4 + frameLength(bytes)
      if (bytes.length < size) break
      this.#onFrame(bytes[4] ?? 0, bytes.subarray(FrameHeaderBytes, size))
      bytes = bytes.subarray(size)
    }
    this.#chunks = bytes.length === 0 ? [] : [bytes]
    this.#bytesHeld = bytes.length
  }

  #bytesWanted(): number {
    const [first] = this.#chunks
    return first !== undefined && first.length >= 4 ? 4 + frameLength(first) : 4
  }
}

const frameLength = (bytes: Buffer): number => {
  const length = bytes.readUInt32LE(0)
  if (length < 1) throw new HostFrameError("a frame has no kind")
  if (length > Limits.roomFrameBytes.max) {
    throw new HostFrameError(`a frame of ${length} bytes is over ${Limits.roomFrameBytes.max}`)
  }
  return length
}
