import type { Duplex } from "node:stream"

import { FlushWindow } from "./FlushWindow.ts"

/** What a turn measures itself with. */
export interface TurnPort {
  nowMs(): number
  /** Share of the event loop that was at work since the last call, 0 to 1. */
  busy(): number
}

/**
 * Flushes every outbox that got something, all at once: at the end of this turn of the event loop,
 * or a moment later under load.
 */
export class FlushTurn {
  readonly #port: TurnPort
  readonly #window: FlushWindow
  #waiting: Array<Outbox> = []
  #scheduled = false
  #frames = 0
  #writes = 0
  readonly #flush = (): void => {
    const outboxes = this.#waiting
    this.#waiting = []
    this.#scheduled = false
    for (const outbox of outboxes) outbox.flush()
    const nowMs = this.#port.nowMs()
    if (this.#window.isDue(nowMs)) this.#look(nowMs)
  }

  constructor(port: TurnPort) {
    this.#port = port
    this.#window = new FlushWindow(port.nowMs())
  }

  add(outbox: Outbox): void {
    this.#waiting.push(outbox)
    if (this.#scheduled) return
    this.#scheduled = true
    const { waitMs } = this.#window
    if (waitMs === 0) setImmediate(this.#flush)
    else setTimeout(this.#flush, waitMs)
  }

  /** So many frames have left in one write. */
  wrote(frames: number): void {
    this.#frames += frames
    this.#writes++
  }

  #look(nowMs: number): void {
    this.#window.look(nowMs, {
      busy: this.#port.busy(),
      frames: this.#frames,
      writes: this.#writes
    })
    this.#frames = 0
    this.#writes = 0
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
    this.#turn.wrote(frames.length)
    this.#socket.write(frames.length === 1 ? first : Buffer.concat(frames, bytes))
  }
}
