import { connect, type Socket } from "node:net"

import { ConditionWait } from "@atrium/api/testing/ConditionWait"
import { ServerFrame, Subprotocol } from "@atrium/wire/frames/Frame"
import { KiB } from "@atrium/wire/limits/Limit"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"

export const Opcode = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** How a WebSocket frame is put, rightly unless said otherwise. */
export interface FrameShape {
  readonly opcode: number
  readonly final: boolean
  readonly reservedBits: number
  readonly masked: boolean
  /** Bytes of the length field; 0 = the shortest. */
  readonly lengthBytes: 0 | 2 | 8
  /** A length other than the payload's. */
  readonly claims: bigint | null
}

const right: FrameShape = {
  opcode: Opcode.binary,
  final: true,
  reservedBits: 0,
  masked: true,
  lengthBytes: 0,
  claims: null
}

const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d])

/** One WebSocket frame of a client, with all the faults that are asked for. Source: RFC 6455. */
export const webSocketFrame = (payload: Uint8Array, shape: Partial<FrameShape> = {}): Buffer => {
  const { opcode, final, reservedBits, masked, lengthBytes, claims } = { ...right, ...shape }
  const length = claims ?? BigInt(payload.length)
  const width = lengthBytes > 0 ? lengthBytes : length < 126n ? 0 : length < 65_536n ? 2 : 8
  const head = Buffer.alloc(2 + width)
  head[0] = (final ? 0x80 : 0) | (reservedBits << 4) | opcode
  head[1] = (masked ? 0x80 : 0) | (width === 0 ? Number(length) : width === 2 ? 126 : 127)
  if (width === 2) head.writeUInt16BE(Number(length & 0xffffn), 2)
  if (width === 8) head.writeBigUInt64BE(length & 0xffff_ffff_ffff_ffffn, 2)
  if (!masked) return Buffer.concat([head, payload])
  const body = Buffer.from(payload)
  for (let at = 0; at < body.length; at++) body[at] = (body[at] ?? 0) ^ (mask[at & 3] ?? 0)
  return Buffer.concat([head, mask, body])
}

/** The request that asks for a WebSocket, line by line. */
export const upgradeLines = (path: string): ReadonlyArray<string> => [
  `GET ${path} HTTP/1.1`,
  "host: 127.0.0.1",
  "upgrade: websocket",
  "connection: Upgrade",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version: 13",
  `sec-websocket-protocol: ${Subprotocol}`
]

export const requestOf = (lines: ReadonlyArray<string>): Buffer =>
  Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")

const AnswerMs = 20_000

/** A TCP connection to the service that may say anything, and reads what a WebSocket client would. */
export class Wire {
  /** HTTP status of the answer, 0 while there is none. */
  status = 0
  /** Frames of the protocol that came, and WebSocket pongs. */
  readonly frames: Array<ReadonlyArray<unknown>> = []
  readonly pongs: Buffer[] = []
  /** Code of the close frame; 1005 = it had none, `null` = none came. */
  closeCode: number | null = null
  ended = false
  /** What the service must never send. */
  broken: string | null = null
  /** The room is hostile too: what it sends its clients is its own affair. */
  roomIsHostile = false
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  readonly #wait = new ConditionWait()

  constructor(serviceUrl: string) {
    const { hostname, port } = new URL(serviceUrl)
    this.#socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    this.#socket.setNoDelay(true)
    this.#socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
      this.#read()
      this.#wait.changed()
    })
    const over = (): void => {
      this.ended = true
      this.#wait.changed()
    }
    // A connection that is cut off is one of the answers.
    this.#socket.on("error", over)
    this.#socket.on("end", over)
    this.#socket.on("close", over)
  }

  write(bytes: Uint8Array): void {
    if (!this.#socket.destroyed && this.#socket.writable) this.#socket.write(bytes)
  }

  send(payload: Uint8Array, shape: Partial<FrameShape> = {}): void {
    this.write(webSocketFrame(payload, shape))
  }

  /** Sends no more, and goes on reading. */
  end(): void {
    this.#socket.end()
  }

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

  /** `false` when it is not so within the time. */
  until(holds: () => boolean, withinMs = AnswerMs): Promise<boolean> {
    return this.#wait.until(holds, withinMs)
  }

  #read(): void {
    if (this.status === 0) {
      const end = this.#bytes.indexOf("\r\n\r\n")
      if (end === -1) return
      const line = this.#bytes.subarray(0, 12).toString("latin1")
      this.status = Number(/^HTTP\/1\.1 (\d{3})$/.exec(line)?.[1] ?? -1)
      this.#bytes = this.#bytes.subarray(end + 4)
    }
    if (this.status === 101) while (this.#readFrame());
  }

  #readFrame(): boolean {
    const bytes = this.#bytes
    if (bytes.length < 2) return false
    const short = (bytes[1] ?? 0) & 0x7f
    const head = short < 126 ? 2 : short === 126 ? 4 : 10
    if (bytes.length < head) return false
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : bytes.readUInt32BE(6)
    if (bytes.length < head + length) return false
    this.#bytes = bytes.subarray(head + length)
    this.#take(bytes[0] ?? 0, bytes.subarray(head, head + length))
    return true
  }

  #take(first: number, payload: Buffer): void {
    const opcode = first & 0x0f
    if (this.closeCode !== null) this.broken = "something after the close frame"
    if (opcode === Opcode.pong) this.pongs.push(payload)
    else if (opcode === Opcode.close) {
      this.closeCode = payload.length < 2 ? 1005 : payload.readUInt16BE(0)
    } else if (first === (0x80 | Opcode.binary)) {
      const frame = frameIn(payload)
      if (frame === null && this.roomIsHostile) this.frames.push([])
      else if (frame === null)
        this.broken = `a message that is no frame: ${payload.toString("hex")}`
      else this.frames.push(frame)
    } else if (opcode === Opcode.ping) this.send(payload, { opcode: Opcode.pong })
    else this.broken = `a frame that begins with ${first}`
  }
}

/** A frame of the service; of a pong the bytes may be any, as they are the client's own. */
const frameIn = (payload: Buffer): ReadonlyArray<unknown> | null => {
  if (payload[1] === ServerFrame.pong && payload.length > 64 * KiB) return [ServerFrame.pong]
  return arrayOf(payload) ?? (payload[1] === ServerFrame.pong ? [ServerFrame.pong] : null)
}

/** The elements of a frame, or `null` when the bytes are none. */
export const arrayOf = (bytes: Uint8Array): ReadonlyArray<unknown> | null => {
  try {
    const value = unpackValue(bytes)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
