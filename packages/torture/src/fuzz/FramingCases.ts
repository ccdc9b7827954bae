import { type FrameShape, Opcode, webSocketFrame } from "@atrium/api/testing/WebSocketBytes"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { type CaseContext, Unexpected } from "./CaseContext.ts"
import { inRoom, socketCase, type SocketCase } from "./SocketCase.ts"
import type { Wire } from "./Wire.ts"

const ping = packValue([ClientFrame.ping, "x".repeat(200)])
const empty = Buffer.alloc(0)
/** Pings that come in one piece of TCP: more than may wait for their pongs. */
const PingFlood = 500

/** A connection before its hello, or one in a room: framing is the same for both. */
const anyWire = (context: CaseContext): Promise<Wire> =>
  context.chance.one(4) ? context.open("fuzzed-0") : context.join("fuzzed")

/** Frames that RFC 6455 forbids, and the code that it wants for them. */
const broken: ReadonlyArray<readonly [what: string, code: number, frames: () => Buffer]> = [
  ["unmasked", 1002, () => webSocketFrame(ping, { masked: false })],
  ...[1, 2, 4, 7].map((reservedBits): readonly [string, number, () => Buffer] => [
    "reserved bits",
    1002,
    () => webSocketFrame(ping, { reservedBits })
  ]),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): readonly [string, number, () => Buffer] => [
    "unknown opcode",
    1002,
    () => webSocketFrame(ping, { opcode })
  ]),
  ["nothing to go on with", 1002, () => webSocketFrame(ping, { opcode: Opcode.more })],
  [
    "a message within a message",
    1002,
    () => Buffer.concat([webSocketFrame(ping, { final: false }), webSocketFrame(ping)])
  ],
  ["a ping in pieces", 1002, () => webSocketFrame(empty, { opcode: Opcode.ping, final: false })],
  ["a long ping", 1002, () => webSocketFrame(Buffer.alloc(126), { opcode: Opcode.ping })],
  ["a long close", 1002, () => webSocketFrame(Buffer.alloc(200), { opcode: Opcode.close })],
  ["half a close code", 1002, () => webSocketFrame(Buffer.from([3]), { opcode: Opcode.close })],
  ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535].map(
    (code): readonly [string, number, () => Buffer] => [
      "a close code that is none",
      1002,
      () => webSocketFrame(Buffer.from([code >> 8, code & 255]), { opcode: Opcode.close })
    ]
  ),
  [
    "a close reason that is not UTF-8",
    1007,
    () => webSocketFrame(Buffer.from([0x03, 0xe8, 0xff, 0xfe]), { opcode: Opcode.close })
  ],
  [
    "a text that is not UTF-8",
    1007,
    () => webSocketFrame(Buffer.from([0xff, 0xfe]), { opcode: Opcode.text })
  ],
  ["2 MiB and a byte", 1009, () => claim(BigInt(2 * FrameLimits.frameBytes.max + 1))],
  ["4 GiB", 1009, () => claim(1n << 32n)],
  ["more than can be counted", 1009, () => claim((1n << 62n) + 1n)],
  ["a negative length", 1009, () => claim(1n << 63n)]
]

const claim = (claims: bigint): Buffer => webSocketFrame(empty, { claims, lengthBytes: 8 })

const oddLengths: ReadonlyArray<Partial<FrameShape>> = [{ lengthBytes: 2 }, { lengthBytes: 8 }]

/** Cuts bytes anywhere, also within headers, and sends each piece by itself. */
const dribble = async (context: CaseContext, wire: Wire, bytes: Buffer): Promise<void> => {
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + context.chance.below(40)
    wire.write(bytes.subarray(from, to))
    from = to
    if (context.chance.one(4)) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Framing that WebSocket forbids, or allows in odd forms. */
export const framingCases: ReadonlyArray<SocketCase> = [
  ...broken.map(([what, code, frames]): SocketCase =>
    socketCase(`framing: ${what}`, 1, async (context) => {
      const wire = await anyWire(context)
      context.sent("framing, broken")
      await dribble(context, wire, frames())
      await context.closes(wire, code)
    })
  ),
  socketCase("framing: text", 2, async (context) => {
    const wire = await anyWire(context)
    context.sent("text")
    wire.send(Buffer.from(context.chance.pick(["", "text", "[1]"])), { opcode: Opcode.text })
    await context.closes(wire, 1003)
  }),
  inRoom("framing: in pieces", 4, async (context, wire) => {
    const nonce = context.chance.below(0xffff_ffff)
    const whole = packValue([ClientFrame.ping, nonce])
    const parts: Buffer[] = []
    let opcode: number = Opcode.binary
    for (let at = 0; at < whole.length; at++) {
      const final = at === whole.length - 1
      parts.push(webSocketFrame(whole.subarray(at, at + 1), { opcode, final }))
      opcode = Opcode.more
      if (!final && context.chance.one(2)) parts.push(webSocketFrame(empty, { opcode, final }))
      // Control frames may come between the pieces.
      if (context.chance.one(2))
        parts.push(webSocketFrame(Buffer.from("between"), { opcode: Opcode.ping }))
    }
    context.sent("framing, in pieces", parts.length)
    await dribble(context, wire, Buffer.concat(parts))
    await context.expect(wire, "the pong", () => wire.frames.some((frame) => frame[1] === nonce))
    await context.answers(wire)
  }),
  socketCase("framing: pings of every size", 2, async (context) => {
    const wire = await anyWire(context)
    const sizes = Array.from({ length: 126 }, (_, size) => size)
    context.sent("framing, ping", sizes.length)
    for (const size of sizes) {
      wire.send(Buffer.alloc(size, size), { opcode: Opcode.ping })
      if (size % ConnectionLimits.pongsWaiting.max !== ConnectionLimits.pongsWaiting.max - 1)
        continue
      await context.expect(wire, "the pongs", () => wire.pongs.length === size + 1)
    }
    await context.expect(wire, "every pong", () => wire.pongs.length === sizes.length)
    const right = wire.pongs.every((pong, size) => pong.equals(Buffer.alloc(size, size)))
    if (!right) throw new Unexpected("a pong is not its ping")
  }),
  socketCase("framing: a flood of pings", 1, async (context) => {
    const wire = await anyWire(context)
    context.sent("framing, ping", PingFlood)
    const one = webSocketFrame(empty, { opcode: Opcode.ping })
    wire.write(Buffer.concat(Array.from({ length: PingFlood }, () => one)))
    await context.expect(wire, "the end", () => wire.ended || wire.pongs.length === PingFlood)
    context.tally.count("close", wire.ended ? "cut off" : "none")
  }),
  inRoom("framing: a message of many pieces", 0, async (context, wire) => {
    const { max } = ConnectionLimits.messagePieces
    const pieces = (count: number): Buffer =>
      Buffer.concat([
        webSocketFrame(packValue([ClientFrame.ping]), { final: false }),
        ...Array.from({ length: count - 2 }, () =>
          webSocketFrame(empty, { opcode: Opcode.more, final: false })
        ),
        webSocketFrame(empty, { opcode: Opcode.more })
      ])
    context.sent("framing, in pieces", 2 * max + 1)
    wire.write(pieces(max))
    await context.answers(wire)
    wire.write(pieces(max + 1))
    await context.closes(wire, 1008)
  }),
  inRoom("framing: odd lengths", 2, async (context, wire) => {
    const frame = packValue([ClientFrame.ping])
    context.sent("framing, odd length")
    // A length in more bytes than it needs: RFC 6455 forbids it, and no receiver minds.
    wire.send(frame, context.chance.pick(oddLengths))
    await context.answers(wire)
  }),
  inRoom("framing: pongs that nobody asked for", 1, async (context, wire) => {
    context.sent("framing, pong", 50)
    for (let count = 0; count < 50; count++) {
      wire.send(context.chance.bytes(context.chance.below(126)), { opcode: Opcode.pong })
    }
    await context.answers(wire)
  }),
  socketCase("framing: half a frame", 3, async (context) => {
    const wire = await anyWire(context)
    const frame = webSocketFrame(ping)
    context.sent("framing, half a frame")
    wire.write(frame.subarray(0, 1 + context.chance.below(frame.length - 1)))
    if (context.chance.one(2)) {
      wire.end()
      await context.expect(wire, "the end", () => wire.ended)
    } else wire.reset()
  }),
  ...[0, 1000, 1001, 1003, 1008, 1011, 1012, 3000, 4000, 4404, 4999].map((code): SocketCase =>
    socketCase(`framing: closes with ${code === 0 ? "nothing" : code}`, 1, async (context) => {
      const wire = await anyWire(context)
      const body = Buffer.from([code >> 8, code & 255, ...Buffer.from("reason")])
      context.sent("framing, close")
      wire.send(code === 0 ? empty : body, { opcode: Opcode.close })
      // Nothing after a close is read.
      wire.send(packValue([ClientFrame.ping]))
      await context.closes(wire, code === 0 ? 1005 : code)
      await context.expect(wire, "the end of the connection", () => wire.ended)
    })
  )
]
