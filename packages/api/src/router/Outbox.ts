import type { Duplex } from "node:stream"

import { Limits } from "@atrium/domain/Limits"

/**
 * Flushes every outbox that got something, all at once: at the end of this turn of the event loop,
 * or, under load, when the answers of other rooms have had the time to come.
 */
export class FlushTurn {
  readonly #load: { readonly loaded: boolean }
  #waiting: Array<Outbox> = []
  #scheduled = false
  readonly #flush = (): void => {
    const outboxes = this.#waiting
    this.#waiting = []
    this.#scheduled = false
    for (const outbox of outboxes) outbox.flush()
  }

  constructor(load: { readonly loaded: boolean }) {
    this.#load = load
  }

  add(outbox: Outbox): void {
    this.#waiting.push(outbox)
    if (this.#scheduled) return
    this.#scheduled = true
    if (this.#load.loaded) setTimeout(this.#flush, Limits.writeWindow.ms)
    else setImmediate(this.#flush)
  }
}

/** What waits to be written to one socket: everything of one flush goes out in one write. */
export class Outbox {
  readonly #socket: Duplex
  readonly #turn: FlushTurn
  #frames: Array<Buffer> = []
  #bytes = 0

  constructor(socket: Duplex, turn: FlushTurn) {
    this.#socket = socket
    this.#turn = turn
  }

  /** Bytes that neither the peer nor the kernel has taken yet. */
  get bufferedBytes(): number {
    return this.#bytes + this.#socket.writableLength
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
