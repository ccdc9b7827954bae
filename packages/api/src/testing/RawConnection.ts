import { connect, type Socket } from "node:net"

/** Where a raw connection goes. */
export interface RawTarget {
  readonly host?: string
  readonly port: number
  /** An address of this machine; absent = any. */
  readonly from?: string
}

/** A TCP connection on which anything may be said, and which keeps what nobody has read yet. */
export abstract class RawConnection {
  /** Bytes that came and are not read. */
  protected rest = Buffer.alloc(0)
  /** The service ended the connection, or cut it. */
  ended = false
  /** It was cut off: the end came without TCP's word for it. */
  cut = false
  readonly #socket: Socket

  constructor({ host = "127.0.0.1", port, from }: RawTarget) {
    const local = from === undefined ? {} : { localAddress: from }
    this.#socket = connect({ host, port, allowHalfOpen: true, ...local })
    this.#socket.setNoDelay(true)
    this.#socket.on("data", (bytes: Buffer) => {
      this.rest = Buffer.concat([this.rest, bytes])
      this.came()
    })
    // A connection that is cut off is one of the answers.
    this.#socket.on("error", () => {
      this.cut = true
      this.#over()
    })
    this.#socket.on("end", () => this.#over())
    this.#socket.on("close", () => this.#over())
  }

  /** More bytes are in `rest`. */
  protected abstract came(): void
  /** The connection has ended: called once. */
  protected abstract over(): void

  /** @param bytes of a text, each character is one byte */
  write(bytes: Uint8Array | string): void {
    if (!this.#socket.writable) return
    this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)
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

  #over(): void {
    if (this.ended) return
    this.ended = true
    this.over()
  }
}
