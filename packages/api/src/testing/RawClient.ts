import { ClientFrame, ServerFrame, Subprotocol } from "@atrium/wire/frames/Frame"
import { pack, unpack } from "msgpackr"
import { WebSocket } from "ws"

/** How a connection ended. */
export interface Closing {
  readonly code: number
  readonly reason: string
}

/**
 * A client of the bare protocol, as somebody writes it from docs/protocol.md: it knows nothing of
 * the SDK and may do everything wrong.
 */
export class RawClient {
  readonly frames: Array<ReadonlyArray<unknown>> = []
  readonly closed: Promise<Closing>
  /** Of the frames that came. */
  bytes = 0
  readonly #socket: WebSocket
  readonly opened: Promise<void>
  #arrived: () => void = () => undefined

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#socket = new WebSocket(url, [Subprotocol], { headers })
    this.opened = new Promise((resolve) => this.#socket.on("open", () => resolve()))
    this.#socket.on("error", () => undefined)
    this.#socket.on("message", (data: Buffer) => {
      this.bytes += data.length
      this.frames.push(unpack(data))
      this.#arrived()
    })
    this.closed = new Promise((resolve) => {
      this.#socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }))
    })
  }

  async send(frame: ReadonlyArray<unknown>): Promise<void> {
    await this.sendBytes(pack(frame))
  }

  async sendBytes(bytes: Buffer | string): Promise<void> {
    await this.opened
    this.#socket.send(bytes)
  }

  /** Greets, and answers with the welcome or the refusal. */
  async hello(token: string, type: string | null = null): Promise<ReadonlyArray<unknown>> {
    await this.send([ClientFrame.hello, token, type])
    return this.next((frame) => frame[0] === ServerFrame.welcome || frame[0] === ServerFrame.error)
  }

  /** The first frame so far, or from now on, that fits; fails when none comes. */
  async next(
    fits: (frame: ReadonlyArray<unknown>) => boolean,
    withinMs = 30_000
  ): Promise<ReadonlyArray<unknown>> {
    const deadline = setTimeout(() => this.#arrived(), withinMs)
    const startedAt = performance.now()
    try {
      for (;;) {
        const index = this.frames.findIndex(fits)
        const frame = this.frames[index]
        if (frame !== undefined) {
          this.frames.splice(0, index + 1)
          return frame
        }
        if (performance.now() - startedAt >= withinMs) {
          throw new Error(`no such frame within ${withinMs} ms; got ${JSON.stringify(this.frames)}`)
        }
        await new Promise<void>((resolve) => {
          this.#arrived = resolve
        })
      }
    } finally {
      clearTimeout(deadline)
    }
  }

  /** Ends the connection without a word, as a lost network does. */
  cut(): void {
    this.#socket.terminate()
  }

  leave(): void {
    this.#socket.close(1000)
  }
}
