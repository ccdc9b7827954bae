import { RawConnection } from "./RawConnection.ts"
import { type FrameShape, payloadAt, payloadLength, webSocketFrame } from "./WebSocketBytes.ts"

/** A listener to a raw socket. */
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

/** A connection that may say anything, and reads what a WebSocket client would. */
export class RawSocket extends RawConnection {
  #listener: RawListener = {}
  #status = 0

  /** Tells a listener of all that comes from now on; nothing has come before the constructor's caller yields. */
  hears(listener: RawListener): this {
    this.#listener = listener
    return this
  }

  /** One binary message, unless the shape says otherwise. */
  send(payload: Uint8Array, shape: Partial<FrameShape> = {}): void {
    this.write(webSocketFrame(payload, shape))
  }

  protected came(): void {
    this.#read()
    this.#listener.changed?.()
  }

  protected over(): void {
    this.#listener.ended?.()
  }

  #read(): void {
    if (this.#status === 0) {
      const end = this.rest.indexOf("\r\n\r\n")
      if (end === -1) return
      const line = this.rest.subarray(0, 12).toString("latin1")
      this.#status = Number(/^HTTP\/1\.1 (\d{3})$/.exec(line)?.[1] ?? -1)
      this.rest = this.rest.subarray(end + 4)
      this.#listener.answered?.(this.#status)
    }
    while (this.#status === 101) {
      const start = payloadAt(this.rest, 0)
      if (start === -1) return
      const end = start + payloadLength(this.rest, 0)
      if (this.rest.length < end) return
      const frame = this.rest
      this.rest = frame.subarray(end)
      this.#listener.frame?.(frame[0] ?? 0, frame.subarray(start, end))
    }
  }
}
