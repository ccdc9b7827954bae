import { connect, type Socket } from "node:net"

import {
  mask,
  Opcode,
  payloadAt,
  payloadLength,
  requestOf,
  upgradeLines,
  webSocketFrame
} from "../WebSocketBytes.ts"

/** Where a socket goes, and from which of this machine's addresses. */
export interface SocketTarget {
  readonly port: number
  readonly path: string
  /** The WebSocket subprotocol; `null` = none. */
  readonly subprotocol: string | null
  readonly from: string
}

/** A listener to a socket. Bytes are valid within the call only. */
export interface SocketListener {
  opened(): void
  /** One binary message: bytes from `start` up to `end`. */
  message(bytes: Buffer, start: number, end: number): void
  /** The same for one text message; absent = nobody reads them. */
  text?(bytes: Buffer, start: number, end: number): void
  /** @param code of the close frame, 0 without one */
  closed(code: number): void
}

const stampScratch = new Float64Array(1)
const stampBytes = new Uint8Array(stampScratch.buffer)

/** A frame of which each copy carries another moment. */
export class StampedFrame {
  readonly #frame: Buffer
  readonly #stampAt: number
  readonly #payloadAt: number

  /**
   * @param stampAt where in the payload the eight bytes of the stamp are
   * @param before whole frames that go ahead of each copy
   */
  constructor(payload: Uint8Array, stampAt: number, before: Uint8Array = new Uint8Array()) {
    this.#frame = Buffer.concat([before, webSocketFrame(payload)])
    this.#payloadAt = this.#frame.length - payload.length
    this.#stampAt = stampAt
  }

  at(ms: number): Buffer {
    const copy = Buffer.allocUnsafe(this.#frame.length)
    copy.set(this.#frame)
    stampScratch[0] = ms
    for (let at = 0; at < 8; at++) {
      const place = this.#stampAt + at
      copy[this.#payloadAt + place] = (stampBytes[at] ?? 0) ^ (mask[place & 3] ?? 0)
    }
    return copy
  }
}

/** Reads the stamp of a {@link StampedFrame} that came back. */
export const stampOf = (bytes: Buffer, at: number): number => {
  for (let index = 0; index < 8; index++) stampBytes[index] = bytes[at + index] ?? 0
  return stampScratch[0] ?? Number.NaN
}

/** All sockets read into this: what a call leaves unread is copied. */
const shared = Buffer.allocUnsafe(256 * 1024)

/**
 * A WebSocket client that costs next to nothing, so that the load leaves the processor to the server:
 * no event, no buffer and no copy per message. It trusts the server to speak correctly.
 */
export class LeanSocket {
  readonly #socket: Socket
  readonly #listener: SocketListener
  #rest: Buffer | null = null
  #open = false
  #closeCode = 0

  constructor(target: SocketTarget, listener: SocketListener) {
    this.#listener = listener
    this.#socket = connect({
      host: "127.0.0.1",
      port: target.port,
      localAddress: target.from,
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (bytes) => {
          this.#received(bytes)
          return true
        }
      }
    })
    this.#socket.on("error", () => undefined)
    this.#socket.on("close", () => listener.closed(this.#closeCode))
    this.#socket.write(requestOf(upgradeLines(target.path, target.subprotocol)))
  }

  /** Sends a frame made by {@link webSocketFrame} or {@link StampedFrame}. */
  send(frame: Buffer): void {
    this.#socket.write(frame)
  }

  /** Closes with 1000: the client leaves for good. */
  leave(): void {
    this.#socket.end(webSocketFrame(Uint8Array.of(0x03, 0xe8), { opcode: Opcode.close }))
  }

  /** Ends the connection without a word, as a lost network does. */
  cut(): void {
    this.#socket.resetAndDestroy()
  }

  #received(length: number): void {
    const rest = this.#rest
    const fresh = shared.subarray(0, length)
    const bytes = rest === null ? fresh : Buffer.concat([rest, fresh])
    const read = this.#open ? this.#frames(bytes, 0) : this.#answer(bytes)
    this.#rest = read === bytes.length ? null : Buffer.from(bytes.subarray(read))
  }

  #answer(bytes: Buffer): number {
    const end = bytes.indexOf("\r\n\r\n")
    if (end === -1) return 0
    if (!bytes.subarray(0, end).toString("latin1").startsWith("HTTP/1.1 101 ")) {
      this.#socket.destroy()
      return bytes.length
    }
    this.#open = true
    this.#listener.opened()
    return this.#frames(bytes, end + 4)
  }

  /** Reads the whole frames from a place on; returns where the first unfinished one starts. */
  #frames(bytes: Buffer, from: number): number {
    let at = from
    for (;;) {
      const start = payloadAt(bytes, at)
      if (start === -1) return at
      const end = start + payloadLength(bytes, at)
      if (end > bytes.length) return at
      const opcode = (bytes[at] ?? 0) & 0x0f
      if (opcode === Opcode.binary) this.#listener.message(bytes, start, end)
      else if (opcode === Opcode.text) this.#listener.text?.(bytes, start, end)
      else this.#control(opcode, bytes.subarray(start, end))
      at = end
    }
  }

  #control(opcode: number, payload: Buffer): void {
    if (opcode === Opcode.ping) this.#socket.write(webSocketFrame(payload, { opcode: Opcode.pong }))
    if (opcode !== Opcode.close) return
    this.#closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 0
    this.#socket.end(webSocketFrame(payload, { opcode: Opcode.close }))
  }
}
