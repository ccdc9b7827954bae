import { dataFrame, FrameHeaderBytes, writeDataFrame } from "@atrium/runtime/host/HostFrames"

/** Small frames are copied into one of these, one after another; a new one is made when it is full. */
const SlabBytes = 64 * 1024
/** Frames up to this size are small. */
const SmallBytes = 8 * 1024

/**
 * Frames that wait to be written to one room. The small ones, which is nearly all of them, lie side
 * by side in one buffer from the start: no array and no copy for each of them when they leave.
 */
export class FrameStage {
  #slab = Buffer.alloc(0)
  #from = 0
  #at = 0
  #parts: Array<Uint8Array> = []
  #frames = 0

  /** Frames since the last {@link take}. */
  get frames(): number {
    return this.#frames
  }

  /** Adds a whole frame. */
  add(frame: Uint8Array): void {
    this.#frames++
    if (frame.length > SmallBytes) {
      this.#cut()
      this.#parts.push(frame)
      return
    }
    this.#reserve(frame.length)
    this.#slab.set(frame, this.#at)
    this.#at += frame.length
  }

  /** Adds the frame of a client's data; a small one without building it first. */
  addData(ref: number, data: Uint8Array): void {
    const bytes = FrameHeaderBytes + 4 + data.length
    if (bytes > SmallBytes) return this.add(dataFrame(ref, data))
    this.#frames++
    this.#reserve(bytes)
    writeDataFrame(this.#slab, { at: this.#at, ref, data })
    this.#at += bytes
  }

  /** All that was added, in order. Its bytes are not touched again. */
  take(): ReadonlyArray<Uint8Array> {
    this.#cut()
    const parts = this.#parts
    this.#parts = []
    this.#frames = 0
    return parts
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#slab.length) return
    this.#cut()
    this.#slab = Buffer.allocUnsafeSlow(SlabBytes)
    this.#from = 0
    this.#at = 0
  }

  #cut(): void {
    if (this.#at > this.#from) this.#parts.push(this.#slab.subarray(this.#from, this.#at))
    this.#from = this.#at
  }
}
