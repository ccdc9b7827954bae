import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { KiB } from "@atrium/wire/limits/Limit"
import { DepthMax } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { type CaseContext, Unexpected } from "./CaseContext.ts"
import {
  allFrames,
  type ClientKind,
  clientKinds,
  hostileMsgpack,
  rpcNumber,
  validFrames
} from "./ClientCorpus.ts"
import { mutate } from "./Mutation.ts"
import { type FrameVerdict, verdictOf } from "./RoomFrameModel.ts"
import { inRoom, socketCase, type SocketCase } from "./SocketCase.ts"
import type { Wire } from "./Wire.ts"

/** Frames of one connection: fewer than it may send at once. */
const BatchMax = 120
const EchoBytes = 900 * KiB
const EchoesUnread = 40

const rpc = (id: number, name: Parameters<typeof rpcNumber>[0], args: unknown = null): Uint8Array =>
  packValue([ClientFrame.rpc, id, rpcNumber(name), args])

const marks = (wire: Wire, id: number): boolean =>
  wire.frames.some(([type, answered]) => type === ServerFrame.rpcResult && answered === id)

/** Waits until the room has handled all that was sent before. */
const roomAnswers = async (context: CaseContext, wire: Wire): Promise<void> => {
  const id = 0x8000_0000 + context.chance.below(0x7fff_ffff)
  context.sent("rpc")
  wire.send(rpc(id, "echo", "mark"))
  await context.expect(wire, "the room's answer", () => marks(wire, id))
}

const errorsOf = (wire: Wire, code: string): number =>
  wire.frames.filter(([type, given]) => type === ServerFrame.error && given === code).length

const kindOf = (bytes: Uint8Array): string =>
  clientKinds.find((kind) => ClientFrame[kind] === bytes[1]) ?? "not a frame"

/** A frame for a room: mostly mutated, so that the valid ones in between must get through. */
const anyFrame = (chance: CaseContext["chance"]): Buffer => {
  if (chance.one(120)) return hostileMsgpack(chance)
  const kind: ClientKind = chance.pick(clientKinds)
  const valid = chance.pick(validFrames[kind])
  // Of chat next to every change is a bad frame.
  if (chance.one(3) || (kind === "chat" && !chance.one(8))) return Buffer.from(valid)
  const frame = mutate(chance, valid, allFrames)
  // Most keep their head: what ends the connection at once gets no further than the router.
  if (!chance.one(40) && frame.length > 2)
    valid.slice(0, 2).forEach((byte, at) => (frame[at] = byte))
  return frame
}

const ends: ReadonlyArray<FrameVerdict> = ["badFrame", "tooLarge", "mayLeave"]

/** Sends frames until one must end the connection, and compares all that came back. */
const batch = async (context: CaseContext): Promise<void> => {
  const { chance } = context
  const wire = await context.join("fuzzed")
  const sent = new Map<FrameVerdict, number>()
  const many = 1 + chance.below(BatchMax)
  let last: FrameVerdict = "nothing"
  for (let count = 0; count < many && !ends.includes(last); count++) {
    const frame = anyFrame(chance)
    last = verdictOf(frame)
    sent.set(last, (sent.get(last) ?? 0) + 1)
    context.sent(kindOf(frame))
    wire.send(frame)
  }
  for (const [verdict, times] of sent) context.tally.count("frames in a room", verdict, times)
  if (last === "badFrame") return context.closes(wire, 1003)
  if (last === "tooLarge") return context.closes(wire, 4413)
  if (last === "mayLeave") return
  await roomAnswers(context, wire)
  const bad = errorsOf(wire, "E_BAD_MESSAGE")
  if (bad !== (sent.get("badMessage") ?? 0)) {
    throw new Unexpected(`${bad} E_BAD_MESSAGE for ${sent.get("badMessage") ?? 0} bad messages`)
  }
  const pongs = wire.frames.filter(([type]) => type === ServerFrame.pong).length
  // A pong goes back byte for byte: those of bytes that are no msgpack cannot be read here.
  if (pongs > (sent.get("pong") ?? 0)) throw new Unexpected("a pong without its ping")
}

/** A ping frame of exactly so many bytes. */
const pingOf = (bytes: number): Uint8Array => {
  const head = packValue([ClientFrame.ping, new Uint8Array(70_000)]).length - 70_000
  return packValue([ClientFrame.ping, new Uint8Array(bytes - head)])
}

const nested = (levels: number): Uint8Array =>
  Buffer.concat([
    Buffer.from([0x93, ClientFrame.msg, 2]),
    Buffer.alloc(levels, 0x91),
    Buffer.from([0xc0])
  ])

/** Frames that a client in a room may send. */
export const roomFrameCases: ReadonlyArray<SocketCase> = [
  socketCase("room: mutated frames", 60, batch),
  inRoom("room: a frame at the limit", 1, async (context, wire) => {
    context.sent("ping", 2)
    wire.send(pingOf(FrameLimits.frameBytes.max))
    await context.expect(wire, "the pong", () =>
      wire.frames.some(([type]) => type === ServerFrame.pong)
    )
    wire.send(pingOf(FrameLimits.frameBytes.max + 1))
    await context.closes(wire, 4413)
  }),
  inRoom("room: nested at the limit", 2, async (context, wire) => {
    context.sent("msg", 2)
    // The frame itself is the first level.
    wire.send(nested(DepthMax - 1))
    await roomAnswers(context, wire)
    if (errorsOf(wire, "E_BAD_MESSAGE") !== 0) throw new Unexpected("64 levels are refused")
    wire.send(nested(DepthMax))
    await roomAnswers(context, wire)
    if (errorsOf(wire, "E_BAD_MESSAGE") !== 1) throw new Unexpected("65 levels are taken")
  }),
  inRoom("room: too many frames", 1, async (context, wire) => {
    const frame = packValue([ClientFrame.ping])
    const many = ConnectionLimits.frames.burst + 200
    context.sent("ping", many)
    for (let count = 0; count < many; count++) wire.send(frame)
    await context.expect(wire, "E_RATE_LIMITED", () => errorsOf(wire, "E_RATE_LIMITED") > 0)
  }),
  inRoom("room: too much chat", 1, async (context, wire) => {
    context.sent("chat", 2 * ConnectionLimits.chatLines.burst)
    const line = packValue([ClientFrame.chat, "x".repeat(ConnectionLimits.chatBytes.max)])
    for (let count = 0; count < 2 * ConnectionLimits.chatLines.burst; count++) wire.send(line)
    await context.expect(wire, "E_CHAT_RATE", () => errorsOf(wire, "E_CHAT_RATE") > 0)
  }),
  inRoom("room: too many calls", 1, async (context, wire) => {
    const calls = ClientLimits.rpcsWaiting.max + 10
    context.sent("rpc", calls)
    for (let id = 0; id < calls; id++) wire.send(rpc(id, "later"))
    await context.expect(wire, "E_RPC_BUSY", () =>
      wire.frames.some((frame) => JSON.stringify(frame[3] ?? null).includes("E_RPC_BUSY"))
    )
  }),
  inRoom("room: one of each call", 3, async (context, wire) => {
    const names = ["add", "echo", "refuse", "fail", "ask", "later", "store"] as const
    context.sent("rpc", names.length)
    for (const [id, name] of names.entries())
      wire.send(rpc(id, name, name === "add" ? new Uint8Array(4) : null))
    wire.send(packValue([ClientFrame.rpc, names.length, 200, null]))
    for (let id = 0; id <= names.length; id++)
      await context.expect(wire, `answer ${id}`, () => marks(wire, id))
  }),
  ...[0, 1000, 3000, 4999].map((code): SocketCase =>
    inRoom(`room: sent away with ${code}`, 1, async (context, wire) => {
      context.sent("rpc")
      wire.send(rpc(1, "leave", new Uint8Array([code & 255, code >> 8])))
      await context.closes(wire, code === 0 ? 4420 : code)
    })
  ),
  socketCase("room: crashes", 0, async (context) => {
    const wire = await context.join("fragile", "fragile")
    for (let life = 1; wire.closeCode === null; life++) {
      const welcomes = (): number =>
        wire.frames.filter(([type]) => type === ServerFrame.welcome).length
      context.sent("rpc")
      wire.send(packValue([ClientFrame.rpc, life, 0, null]))
      const over = (): boolean => welcomes() > life || wire.closeCode !== null
      await context.expect(wire, "another welcome", over)
    }
    await context.closes(wire, 1011)
  }),
  inRoom("room: reads nothing", 0, async (context, wire) => {
    wire.pause()
    const frame = packValue([ClientFrame.ping, new Uint8Array(EchoBytes)])
    context.sent("ping", EchoesUnread)
    for (let count = 0; count < EchoesUnread; count++) wire.send(frame)
    // By then the service has had time to take them all.
    const other = await context.join("fuzzed")
    await context.answers(other)
    wire.resume()
    await context.closes(wire, 1008)
  })
]
