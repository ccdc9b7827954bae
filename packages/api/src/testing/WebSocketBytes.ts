import { Subprotocol } from "@atrium/wire/frames/Frame"

/** The types of WebSocket frames. */
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

/** The mask of every frame. `ws` leaves out its unmasking for zeros, which no real client sends. */
export const mask = Uint8Array.of(0x5a, 0x17, 0xc3, 0x99)

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

/** Where the payload of the service's frame at a place begins, -1 while its head is not whole. */
export const payloadAt = (bytes: Buffer, at: number): number => {
  if (at + 2 > bytes.length) return -1
  const short = (bytes[at + 1] ?? 0) & 0x7f
  const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
  return start > bytes.length ? -1 : start
}

/** The bytes of the payload of the frame at a place, whose head is whole. */
export const payloadLength = (bytes: Buffer, at: number): number => {
  const short = (bytes[at + 1] ?? 0) & 0x7f
  if (short < 126) return short
  return short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}

/** The request that asks for a WebSocket, line by line. */
export const upgradeLines = (
  path: string,
  subprotocol: string | null = Subprotocol
): ReadonlyArray<string> => [
  `GET ${path} HTTP/1.1`,
  "host: 127.0.0.1",
  "upgrade: websocket",
  "connection: Upgrade",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version: 13",
  ...(subprotocol === null ? [] : [`sec-websocket-protocol: ${subprotocol}`])
]

export const requestOf = (lines: ReadonlyArray<string>): Buffer =>
  Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
