import { connect, type Socket } from "node:net"

import { type FrameShape, payloadAt, payloadLength, webSocketFrame } from "./WebSocketBytes.ts"

/** What hears of a raw socket. */
export interface RawListener {
  /** The status of the HTTP answer, -1 when the bytes are none; frames follow 101 alone. */
  answered?(status: number): void
  /** A frame of the service: its first byte, unmasked, and its payload. */
  frame?(first: number, payload: Buffer): void
  /** Bytes were read. */
  changed?(): void
  /** The service ended or cut the connection: called once. */
  ended?(): void
}

/** A TCP connection that may say anything, and reads what a WebSocket client would. */
export class RawSocket {
  readonly #socket: Socket
  #listener: RawListener = {}
  #rest = Buffer.alloc(0)
  #status = 0
  #ended = false

  /** @param from an address of this machine */
  constructor({ host = "127.0.0.1", ...target }: { host?: string; port: number; from?: string }) {
    const from = target.from === undefined ? {} : { localAddress: target.from }
    this.#socket = connect({ host, port: target.port, allowHalfOpen: true, ...from })
    this.#socket.setNoDelay(true)
    this.#socket.on("data", (bytes: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, bytes])
      this.#read()
      this.#listener.changed?.()
    })
    // A connection that is cut off is one of the answers.
    this.#socket.on("error", () => this.#over())
    this.#socket.on("end", () => this.#over())
    this.#socket.on("close", () => this.#over())
  }

  /** Tells a listener of all that comes from now on; nothing has come before the constructor's caller yields. */
  hears(listener: RawListener): this {
    this.#listener = listener
    return this
  }

  write(bytes: Uint8Array | string): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  /** One binary message, unless the shape says otherwise. */
  send(payload: Uint8Array, shape: Partial<FrameShape> = {}): void {
    this.write(webSocketFrame(payload, shape))
  }

  /** Sends no more, and goes on reading. */
  end(): void {
    this.#socket.end()
  }

  /** Reads nothing more. What the service sends stays in its own buffers. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Ends the connection without the words that TCP has for it. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  #read(): void {
    if (this.#status === 0) {
      const end = this.#rest.indexOf("\r\n\r\n")
      if (end === -1) return
      const line = this.#rest.subarray(0, 12).toString("latin1")
      this.#status = Number(/^HTTP\/1\.1 (\d{3})$/.exec(line)?.[1] ?? -1)
      this.#rest = this.#rest.subarray(end + 4)
      this.#listener.answered?.(this.#status)
    }
    while (this.#status === 101) {
      const start = payloadAt(this.#rest, 0)
      if (start === -1) return
      const end = start + payloadLength(this.#rest, 0)
      if (this.#rest.length < end) return
      const frame = this.#rest
      this.#rest = frame.subarray(end)
      this.#listener.frame?.(frame[0] ?? 0, frame.subarray(start, end))
    }
  }

  #over(): void {
    if (this.#ended) return
    this.#ended = true
    this.#listener.ended?.()
  }
}
