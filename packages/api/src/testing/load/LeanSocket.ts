import { connect, type Socket } from "node:net"

/** Where a socket goes, and from which of this machine's addresses. */
export interface SocketTarget {
  readonly port: number
  readonly path: string
  /** The WebSocket subprotocol; `null` = none. */
  readonly subprotocol: string | null
  readonly from: string
}

/** What hears of a socket. Bytes are valid within the call only. */
export interface SocketListener {
  opened(): void
  /** One binary message: bytes from `start` up to `end`. */
  message(bytes: Buffer, start: number, end: number): void
  /** @param code of the close frame, 0 without one */
  closed(code: number): void
}

const Opcode = { binary: 2, close: 8, ping: 9, pong: 10 } as const
/** `ws` leaves out its unmasking for a mask of zeros, which no real client sends. */
const mask = Uint8Array.of(0x5a, 0x17, 0xc3, 0x99)
const stampScratch = new Float64Array(1)
const stampBytes = new Uint8Array(stampScratch.buffer)

/** A frame of a client as it goes over the wire; payloads of up to 64 KiB. */
export const clientFrame = (payload: Uint8Array, opcode: number = Opcode.binary): Buffer => {
  const long = payload.length > 125
  const head = long ? 8 : 6
  const frame = Buffer.alloc(head + payload.length)
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (long ? 126 : payload.length)
  if (long) frame.writeUInt16BE(payload.length, 2)
  frame.set(mask, head - 4)
  for (let at = 0; at < payload.length; at++) {
    frame[head + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0)
  }
  return frame
}

/** A frame of which each copy carries another moment. */
export class StampedFrame {
  readonly #frame: Buffer
  readonly #stampAt: number
  readonly #payloadAt: number

  /** @param stampAt where in the payload the eight bytes of the stamp are */
  constructor(payload: Uint8Array, stampAt: number) {
    this.#frame = clientFrame(payload)
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
    this.#socket.write(upgradeRequest(target))
  }

  /** Sends a frame made by {@link clientFrame} or {@link StampedFrame}. */
  send(frame: Buffer): void {
    this.#socket.write(frame)
  }

  /** Closes with 1000: the client leaves for good. */
  leave(): void {
    this.#socket.end(clientFrame(Uint8Array.of(0x03, 0xe8), Opcode.close))
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
    while (at + 2 <= bytes.length) {
      const short = (bytes[at + 1] ?? 0) & 0x7f
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (at + head > bytes.length) break
      const length =
        short < 126
          ? short
          : short === 126
            ? bytes.readUInt16BE(at + 2)
            : Number(bytes.readBigUInt64BE(at + 2))
      const start = at + head
      if (start + length > bytes.length) break
      const opcode = (bytes[at] ?? 0) & 0x0f
      if (opcode === Opcode.binary) this.#listener.message(bytes, start, start + length)
      else this.#control(opcode, bytes.subarray(start, start + length))
      at = start + length
    }
    return at
  }

  #control(opcode: number, payload: Buffer): void {
    if (opcode === Opcode.ping) this.#socket.write(clientFrame(payload, Opcode.pong))
    if (opcode !== Opcode.close) return
    this.#closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 0
    this.#socket.end(clientFrame(payload, Opcode.close))
  }
}

const upgradeRequest = ({ port, path, subprotocol }: SocketTarget): string =>
  [
    `GET ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    ...(subprotocol === null ? [] : [`sec-websocket-protocol: ${subprotocol}`]),
    "\r\n"
  ].join("\r\n")
