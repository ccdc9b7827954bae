import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"

import { FlushTogether } from "@atrium/actors/process/FlushTogether"
import { RelayFrames, SendFrame } from "@atrium/actors/relay/RelayFrames"
import { RoomGate } from "@atrium/actors/rooms/RoomGate"
import { Backlogs } from "@atrium/api/router/Backlogs"
import { ClientConnection } from "@atrium/api/router/ClientConnection"
import { ConnectionFigures } from "@atrium/api/router/ConnectionFigures"
import { UnfinishedMessages } from "@atrium/api/router/UnfinishedMessages"
import { FrameSharer } from "@atrium/api/router/WebSocketFrame"
import { RoomFrames } from "@atrium/runtime/room/ClientFrames"
import { encodeFrame } from "@atrium/sdk/client/ClientWire"
import { defineSchema, s, schemaHash } from "@atrium/sdk/schema"
import { makeRoomState, packRecord, stateHash } from "@atrium/wire/codec"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { packVoiceAsk, packVoiceTold } from "@atrium/wire/voice/VoiceFrames"

/** The room of the examples in docs/protocol.md. */
export const exampleSchema = defineSchema({
  type: "duel",
  tickHz: 20,
  maxClients: 2,
  singletons: { score: { red: s.u16(), blue: s.u16() } },
  entities: {
    players: {
      name: s.string(16),
      team: s.enum("red", "blue"),
      hp: s.u8({ default: 100 }),
      x: s.quantised({ min: -500, max: 500, step: 0.5 }),
      target: s.ref("players")
    }
  },
  messages: { shout: { text: s.string(64) }, emote: s.untyped() },
  rpc: {
    client: { fire: { args: { at: s.f32() }, returns: { hit: s.bool() } } },
    server: { choose: { args: { from: s.list(s.u8(), 4) }, returns: { one: s.u8() } } }
  }
})

const ids = {
  client: "8f3c5a1e9b7d2046",
  player: "pl_5be0cd19137e2179",
  resume: "Yx3kQ0m8Zt5nB1vC7wLr2A"
}

/** A state with two players, what changes in it, and the bytes of both. */
const exampleState = () => {
  const room = makeRoomState(exampleSchema)
  const { players, score } = room.state
  const ann = players.add({ name: "Ann", x: -12.5 })
  const bob = players.add({ name: "Bob", team: "blue", hp: 80, target: ann.id })
  score.red = 3
  room.encodeDelta()
  const full = room.encodeFull()
  score.blue = 1
  ann.x = -12
  players.remove(bob.id)
  players.add({ name: "Cyd", target: ann.id })
  players.add({ name: "Dee", target: ann.id })
  const delta = room.encodeDelta() ?? new Uint8Array(0)
  return { full, delta, hashes: [stateHash(full), stateHash(room.encodeFull())] as const }
}

/** A state of values whose parts change by themselves, and the bytes of such changes. */
export const nestedExample = () => {
  const bag = s.map(s.string(8), s.struct({ count: s.u8(), mark: s.optional(s.u8()) }))
  const hand = s.list(s.struct({ suit: s.u8(), rank: s.u8() }), 8)
  const schema = defineSchema({ type: "nested", singletons: { one: { bag, hand } } })
  const room = makeRoomState(schema)
  const { one } = room.state
  one.bag.set("rope", { count: 1 }).set("coin", { count: 9, mark: 4 })
  one.hand = [
    { suit: 1, rank: 1 },
    { suit: 2, rank: 2 }
  ]
  room.encodeDelta()
  const full = room.encodeFull()
  one.bag.delete("rope")
  const [coin, second] = [one.bag.get("coin"), one.hand[1]]
  if (coin !== undefined) coin.count = 7
  one.bag.set("key", { count: 1 })
  if (second !== undefined) second.rank = 3
  one.hand = [...one.hand, { suit: 0, rank: 5 }]
  const delta = room.encodeDelta() ?? new Uint8Array(0)
  return { schema, full, delta, hash: stateHash(room.encodeFull()) }
}

/** The payloads of the WebSocket messages that the service wrote. */
const payloadsOf = (wire: Buffer): ReadonlyArray<Buffer> => {
  const payloads: Array<Buffer> = []
  for (let at = 0; at < wire.length;) {
    const long = wire[at + 1] === 126
    const from = at + (long ? 4 : 2)
    at = from + (long ? wire.readUInt16BE(at + 2) : (wire[at + 1] ?? 0))
    payloads.push(wire.subarray(from, at))
  }
  return payloads
}

/** What the service's own connection writes to a client that has greeted, its welcome first. */
const connectionWrites = (
  state: Uint8Array,
  go: (connection: ClientConnection, received: (frame: Uint8Array) => void) => void
): ReadonlyArray<Buffer> => {
  const stream = new PassThrough()
  const nothing = (): void => undefined
  const socket = Object.assign(new EventEmitter(), { close: nothing, ping: nothing })
  const share = {
    turn: new FlushTogether(() => 0),
    frames: new FrameSharer(),
    backlogs: new Backlogs(),
    unfinished: new UnfinishedMessages(),
    figures: new ConnectionFigures(),
    nowMs: () => 0,
    leaving: () => false,
    soon: nothing
  }
  const listener = { hello: nothing, welcomed: nothing, moved: nothing, ended: nothing }
  // Of a socket it takes the events and close(), which the stand-in has.
  const wire = { socket: socket as never, stream, from: "one", project: "dev" }
  const connection = new ClientConnection(wire, share, listener)
  const received = (frame: Uint8Array): void => {
    socket.emit("message", Buffer.from(frame), true)
  }
  received(hello)
  connection.nextResumeHash()
  connection.describe({
    roomId: "lobby",
    version: 7,
    playerId: ids.player,
    viewer: false,
    relay: false,
    schema: null
  })
  connection.seat(new RoomGate({ occupancy: nothing }), 1)
  connection.welcome({ sessionId: ids.client, resumed: false, tick: 41, state, staleMs: null })
  go(connection, received)
  connection.close({ code: 1000, reason: "" })
  return payloadsOf(Buffer.from(stream.read()))
}

/** The resume token is 22 characters of chance, right before nil, the player's id, a bool and nil. */
const withResume = (welcome: Buffer): Buffer => {
  const at = welcome.length - 2 - ids.player.length - 2 - ids.resume.length
  const drawn = welcome.toString("latin1", at, at + ids.resume.length)
  if (!/^[A-Za-z0-9_-]{22}$/.test(drawn)) throw new Error(`no resume token but ${drawn}`)
  return Buffer.concat([
    welcome.subarray(0, at),
    Buffer.from(ids.resume, "latin1"),
    welcome.subarray(at + ids.resume.length)
  ])
}

const hello = encodeFrame([
  ClientFrame.hello,
  "eyJh.eyJp.c2ln",
  "duel",
  schemaHash(exampleSchema),
  null,
  { seat: 2 }
])

/** Chat leaves through the gate of the room. */
const chatOf = (text: string): Uint8Array => {
  const frames: Array<Uint8Array> = []
  const nothing = (): void => undefined
  const gate = new RoomGate({ occupancy: nothing })
  const ref = gate.enter(
    {
      nextResumeHash: () => "",
      welcome: () => 0,
      refuse: nothing,
      close: nothing,
      hold: nothing,
      moved: nothing,
      write: (frame) => frames.push(frame) > 0
    },
    {
      sessionId: ids.client,
      playerId: ids.player,
      name: null,
      role: "player",
      options: null,
      resumeHash: null,
      player: null
    }
  )
  gate.joined(ref ?? 0, { sessionId: ids.client, resumed: false, tick: 0, state: new Uint8Array() })
  gate.chat(ref ?? 0, text)
  return frames[0] ?? new Uint8Array()
}

/** The bytes of every example in docs/protocol.md, made by the code that sends them. */
export const exampleFrames = (): Readonly<Record<string, Uint8Array>> => {
  const { messages, rpc } = exampleSchema
  const [shout, fire, choose] = [
    messages.byName.get("shout"),
    rpc.client.byName.get("fire"),
    rpc.server.byName.get("choose")
  ]
  const record = (fields: Parameters<typeof packRecord>[0] | null | undefined, value: object) => {
    if (fields === null || fields === undefined) throw new Error("the example has no such shape")
    return packRecord(fields, value, "example")
  }
  const text = record(shout?.fields, { text: "go!" })
  const ping = encodeFrame([ClientFrame.ping, 1])
  const { full, delta } = exampleState()
  const [welcome, error, pong] = connectionWrites(full, (connection, received) => {
    received(encodeFrame([ClientFrame.chat, "a".repeat(513)]))
    received(ping)
    connection.ping()
  })
  const nothing = new Uint8Array()
  return {
    hello,
    welcome: withResume(Buffer.from(welcome ?? nothing)),
    "full state": full,
    delta,
    "nested delta": nestedExample().delta,
    patch: RoomFrames.patch(42, delta),
    "client msg": encodeFrame([ClientFrame.msg, 0, text]),
    msg: RoomFrames.msg(0, { packed: text }),
    "client rpc": encodeFrame([ClientFrame.rpc, 1, 0, record(fire?.args, { at: 1.5 })]),
    rpcResult: RoomFrames.rpcResult(1, { packed: record(fire?.returns, { hit: true }) }),
    "rpcResult refused": RoomFrames.rpcRefusal(1, { code: "E_EMPTY", message: "no shells" }),
    rpc: RoomFrames.rpc({ id: 9, index: 0 }, { packed: record(choose?.args, { from: [4, 7] }) }),
    "client rpcResult": encodeFrame([
      ClientFrame.rpcResult,
      9,
      true,
      record(choose?.returns, { one: 7 })
    ]),
    "client chat": encodeFrame([ClientFrame.chat, "gg"]),
    chat: chatOf("gg"),
    error: error ?? nothing,
    ...relayFrames(),
    ...voiceFrames(),
    "client ping": ping,
    pong: pong ?? nothing
  }
}

/** Frames of relay rooms only. */
const relayFrames = (): Readonly<Record<string, Uint8Array>> => {
  const send = encodeFrame([ClientFrame.send, null, { at: 3 }])
  const parts = new SendFrame()
  if (!parts.read(send)) throw new Error("the example of a send is none")
  const record = { to: ids.client, collection: "players", key: 4 }
  return {
    "client write": encodeFrame([
      ClientFrame.write,
      2,
      [
        { op: "add", c: "players", v: { name: "Eve" } },
        { op: "set", c: "score", k: 0, v: { red: 5 } },
        { op: "remove", c: "players", k: 4 }
      ]
    ]),
    ack: RelayFrames.ack(2, [5]),
    "client own": encodeFrame([ClientFrame.own, "players", 4]),
    ownResult: RelayFrames.notice({ _tag: "AnswerOwnership", ...record, granted: true }),
    ownAsk: RelayFrames.notice({ _tag: "AskOwner", ...record, request: 6, asker: ids.client }),
    "client ownAnswer": encodeFrame([ClientFrame.ownAnswer, 6, false]),
    "client send": send,
    sent: RelayFrames.sent(RelayFrames.sentHead(ids.client), send, parts)
  }
}

/** Frames of voice calls. */
const voiceFrames = (): Readonly<Record<string, Uint8Array>> => ({
  "client voice join": packVoiceAsk({ _tag: "join", offer: "v=0" }),
  "client voice leave": packVoiceAsk({ _tag: "leave" }),
  "voice slots": packVoiceTold({ _tag: "slots", speakers: [ids.client, null, null] }),
  "voice ended": packVoiceTold({ _tag: "ended" })
})

/** `stateHash` before and after the delta of the examples, and the schema's hash. */
export const exampleHashes = (): ReadonlyArray<string> => [
  ...exampleState().hashes,
  schemaHash(exampleSchema)
]
