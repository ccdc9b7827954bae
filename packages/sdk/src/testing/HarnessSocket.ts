import type { FakeTime } from "../client/testing/FakeTime.ts"

/** From the client to the room, or back. */
export type HarnessWay = "up" | "down"

/** The way between a client and its room. */
export interface HarnessNetwork {
  /** Milliseconds for which the next frame is on its way. Frames arrive in their order: a slow one holds up those behind it. */
  delayMs(way: HarnessWay): number
}

interface HarnessLink {
  readonly time: FakeTime
  readonly network: HarnessNetwork
}

/** A WebSocket whose other end is a function; everything arrives later, as from a network. */
export class HarnessSocket {
  binaryType = "blob"
  onopen: ((event: never) => void) | null = null
  onmessage: ((event: never) => void) | null = null
  onclose: ((event: never) => void) | null = null
  onerror: ((event: never) => void) | null = null
  onSent: (frame: Uint8Array) => void = () => {}
  onClosed: (code: number) => void = () => {}
  readonly #link: HarnessLink | null
  /** When the last frame of each way arrives: none overtakes it. */
  readonly #busyUntilMs = { up: 0, down: 0 }
  #open = true

  constructor(connected: (socket: HarnessSocket) => void, link: HarnessLink | null) {
    this.#link = link
    connected(this)
    this.#later("down", () => this.#tell(this.onopen, {}))
  }

  send(frame: Uint8Array): void {
    const sent = frame.slice()
    this.#later("up", () => this.onSent(sent))
  }

  close(code = 1005): void {
    if (!this.#open) return
    this.#open = false
    this.#later("up", () => {
      this.onClosed(code)
      this.#later("down", () => this.#tell(this.onclose, { code, reason: "" }))
    })
  }

  deliver(frame: Uint8Array): void {
    const data = frame.slice().buffer
    this.#later("down", () => this.#tell(this.onmessage, { data }))
  }

  end(code: number, reason: string): void {
    this.#open = false
    this.#later("down", () => this.#tell(this.onclose, { code, reason }))
  }

  #later(way: HarnessWay, run: () => void): void {
    if (this.#link === null) return queueMicrotask(run)
    const { time, network } = this.#link
    const atMs = Math.max(time.nowMs + network.delayMs(way), this.#busyUntilMs[way])
    this.#busyUntilMs[way] = atMs
    time.after(atMs - time.nowMs, run)
  }

  #tell(handler: ((event: never) => void) | null, event: object): void {
    // The handler is the client's, and the event has what it reads.
    handler?.(event as never)
  }
}
