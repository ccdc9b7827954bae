import type { Duplex } from "node:stream"

import type { FlushTogether } from "@atrium/actors/process/FlushTogether"

/** The frames that wait for one socket: a flush writes all of them at once. */
export class Outbox {
  readonly #socket: Duplex
  readonly #turn: FlushTogether
  #frames: Array<Buffer> = []
  #bytes = 0

  constructor(socket: Duplex, turn: FlushTogether) {
    this.#socket = socket
    this.#turn = turn
  }

  /** Bytes that neither the peer nor the kernel has taken yet. */
  get bufferedBytes(): number {
    return this.#bytes + this.#socket.writableLength
  }

  /** The bytes of these that were written: a peer that reads leaves none. */
  get stuckBytes(): number {
    return this.#socket.writableLength
  }

  push(frame: Buffer): void {
    this.#frames.push(frame)
    this.#bytes += frame.length
    if (this.#frames.length === 1) this.#turn.add(this)
  }

  /** Writes what waits now, so that a close frame does not overtake it. */
  flush(): void {
    const frames = this.#frames
    const [first] = frames
    if (first === undefined) return
    const bytes = this.#bytes
    this.#frames = []
    this.#bytes = 0
    if (!this.#socket.writable) return
    this.#socket.write(frames.length === 1 ? first : Buffer.concat(frames, bytes))
  }
}
