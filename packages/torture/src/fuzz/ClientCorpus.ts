import type { Chance } from "@atrium/api/testing/Chance"
import { packRecord } from "@atrium/wire/codec"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { fuzzed } from "./rooms/fuzzedSchema.ts"

const messageShapes = fuzzed.messages.list
const rpcShapes = fuzzed.rpc.client.list

const record = {
  bool: true,
  u8: 200,
  i16: -300,
  u32: 70_000,
  f32: 1.5,
  f64: Math.PI,
  step: 0.3,
  text: "wörd",
  bytes: new Uint8Array([1, 2, 3]),
  team: "blue",
  mark: 1,
  path: [1, 2, 65_535],
  names: ["a", "bc"],
  at: { x: 0.5, aim: { y: 7 } },
  bag: new Map([["rope", [{ count: 1 }, { count: 2 }]]])
}

/** Values that msgpack carries, of every form that it has. */
export const plainValues: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  127,
  128,
  65536,
  2 ** 40,
  -1,
  -129,
  -4e4,
  -(2 ** 40),
  0.5,
  2n ** 63n,
  "text",
  "x".repeat(40),
  "y".repeat(300),
  new Uint8Array(300),
  [],
  [1, [2, [3]]],
  {
    key: "value",
    list: [1],
    7: null
  },
  Array.from({ length: 20 }, () => 1)
]

const place = (list: ReadonlyArray<{ readonly name: string }>, name: string): number =>
  list.findIndex((shape) => shape.name === name)

const packed = (list: typeof messageShapes, name: string, value: object): Uint8Array =>
  packRecord(list[place(list, name)]?.fields ?? [], value, name)

const say = packed(messageShapes, "say", { text: "hello" })
const full = packed(messageShapes, "record", record)

/** The number of an RPC that clients call. */
export const rpcNumber = (name: (typeof rpcShapes)[number]["name"]): number =>
  place(rpcShapes, name)

const addArgs = packRecord(fuzzed.rpc.client.list[rpcNumber("add")]?.args ?? [], { by: 3 }, "add")

/** Valid frames of a client that is in a room, by kind. */
export const validFrames: {
  readonly [kind in "msg" | "rpc" | "chat" | "ping" | "rpcResult"]: ReadonlyArray<Uint8Array>
} = {
  msg: [
    packValue([ClientFrame.msg, place(messageShapes, "say"), say]),
    packValue([ClientFrame.msg, place(messageShapes, "record"), full]),
    ...plainValues.map((value) =>
      packValue([ClientFrame.msg, place(messageShapes, "anything"), value])
    )
  ],
  rpc: [
    packValue([ClientFrame.rpc, 1, rpcNumber("add"), addArgs]),
    packValue([ClientFrame.rpc, 2, rpcNumber("echo"), { a: [1, 2] }]),
    ...["refuse", "fail", "ask", "later", "store"].map((name, index) =>
      packValue([ClientFrame.rpc, 3 + index, rpcNumber(name)])
    )
  ],
  chat: [packValue([ClientFrame.chat, "gg"]), packValue([ClientFrame.chat, "z".repeat(513)])],
  ping: [packValue([ClientFrame.ping]), packValue([ClientFrame.ping, { at: 1 }])],
  rpcResult: [
    packValue([ClientFrame.rpcResult, 1, true, new Uint8Array([2, 0x68, 0x69])]),
    packValue([ClientFrame.rpcResult, 1, false, ["E_ROOM_FULL", "not now"]])
  ]
}

export type ClientKind = keyof typeof validFrames
export const clientKinds: ReadonlyArray<ClientKind> = ["msg", "rpc", "chat", "ping", "rpcResult"]

export const allFrames: ReadonlyArray<Uint8Array> = clientKinds.flatMap((kind) => validFrames[kind])

/** Records and states of the schema that everything is tried with. */
export const validRecord = full

const tokens = [
  192, 193, 194, 196, 197, 198, 199, 201, 202, 203, 204, 207, 208, 211, 212, 216, 217, 218, 219,
  220, 221, 222, 223, 128, 143, 144, 159, 160, 191, 224
]

/** Bytes that look like msgpack: tokens that claim what is not there. */
export const hostileMsgpack = (chance: Chance): Buffer => {
  const parts: Buffer[] = []
  for (let count = 1 + chance.below(12); count > 0; count--) {
    parts.push(Buffer.from([chance.pick(tokens)]), chance.bytes(chance.below(6)))
  }
  return Buffer.concat(parts)
}
