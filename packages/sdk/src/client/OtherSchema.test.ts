import { packRecord } from "@atrium/wire/codec/RecordCodec"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { describe as describeSchema } from "@atrium/wire/schema/Describe"
import type { Fields } from "@atrium/wire/schema/Field"
import { s } from "@atrium/wire/schema/FieldKinds"
import { afterEach, beforeEach, expect, test } from "vitest"

import { Client } from "./Client.ts"
import { FakeRoomServer } from "./testing/FakeRoomServer.ts"
import { FakeTime } from "./testing/FakeTime.ts"
import { failure } from "./testing/JoinedRoom.ts"

const definition = {
  type: "arena",
  entities: { players: { name: s.string(32), x: s.f32() } },
  singletons: { score: { red: s.u16() } },
  messages: { chat: { text: s.string(200) }, blob: s.untyped() }
} as const
const schema = defineSchema(definition)
const larger = defineSchema({
  ...definition,
  entities: { bots: { level: s.u8() }, players: { ...definition.entities.players, hp: s.u8() } },
  messages: { first: {}, chat: { text: s.string(200), loud: s.bool() }, blob: s.untyped() }
})
const smaller = defineSchema({ ...definition, entities: {} })

let server: FakeRoomServer<typeof schema>
let time: FakeTime

beforeEach(async () => {
  server = await FakeRoomServer.open(schema)
  time = new FakeTime()
})
afterEach(() => server.close())

/** Joins, and drops the connection at once. */
const dropped = async () => {
  const room = await new Client(server.url, { token: "t" }, time.port()).joinOrCreate(schema)
  const drop = new Promise((resolve) => room.onDrop(resolve))
  const peer = await server.peer()
  peer.terminate()
  await drop
  return room
}

test("[D-24] a room that has more is read by its own descriptor", async () => {
  const own = await FakeRoomServer.open(larger)
  own.room.state.players.add({ name: "ann", hp: 3 })
  own.room.state.bots.add({ level: 2 })
  own.room.encodeDelta()
  own.onHello = (each) => each.welcome({ schema: describeSchema(larger) })
  const old = await new Client(own.url, { token: "t" }, time.port()).joinOrCreate(schema)
  expect(old.state.players.get(1)?.name).toBe("ann")
  expect(Object.keys(old.state)).toEqual(["score", "players"])
  expect(old.stateHash()).toBe(own.hash)
  old.send("chat", { text: "hi" })
  const fields = larger.messages.byName.get("chat")?.fields ?? []
  const other = await own.peer()
  expect(await other.frame()).toEqual([
    2,
    1,
    Buffer.from(packRecord(fields, { text: "hi", loud: false }, ""))
  ])
  const heard = new Promise((resolve) => old.onMessage("chat", resolve))
  other.send([18, 1, packRecord(fields, { text: "ho", loud: true }, "")])
  expect(await heard).toMatchObject({ text: "ho" })
  await own.close()
})

test("[C-664] a room whose structs have more is read by its own descriptor, and spoken to by their defaults", async () => {
  const typed = (fields: Fields) =>
    defineSchema({
      type: "arena",
      entities: { players: { at: s.struct(fields), bag: s.map(s.u8(), s.struct(fields)) } },
      messages: { move: { to: s.struct(fields) } }
    })
  const [mine, theirs] = [typed({ x: s.u8() }), typed({ z: s.u8({ default: 7 }), x: s.u8() })]
  const own = await FakeRoomServer.open(theirs)
  own.room.state.players.add({ at: { x: 1 }, bag: new Map([[1, { x: 2 }]]) })
  own.room.encodeDelta()
  const schema = describeSchema(theirs)
  expect(schema.format).toBe(2)
  own.onHello = (each) => each.welcome({ schema })
  const room = await new Client(own.url, { token: "t" }, time.port()).joinOrCreate(mine)
  expect(room.state.players.get(1)?.at).toMatchObject({ x: 1 })
  expect(room.state.players.get(1)?.bag.get(1)).toMatchObject({ x: 2 })
  room.send("move", { to: { x: 9 } })
  expect((await (await own.peer()).frame())[2]).toEqual(Buffer.from([7, 9]))
  await own.close()
})

test("[D-24] the same descriptor again keeps the records that the game holds", async () => {
  const own = await FakeRoomServer.open(larger)
  const held = own.room.state.players.add({ name: "ann", hp: 3 })
  own.room.encodeDelta()
  own.onHello = (each) => each.welcome({ schema: describeSchema(larger) })
  const old = await new Client(own.url, { token: "t" }, time.port()).joinOrCreate(schema)
  const record = old.state.players.get(1)
  await own.peer()
  held.x = 4
  own.room.encodeDelta()
  const back = new Promise<void>((resolve) => old.onReconnect(resolve))
  const gone = new Promise((resolve) => old.onDrop(resolve))
  own.peers[0]?.terminate()
  await gone
  time.advance(100)
  await back
  expect(old.state.players.get(1)).toBe(record)
  expect(record?.x).toBe(4)
  await own.close()
})

test("[D-24] a room that has less refuses the join", async () => {
  server.onHello = (each) => each.welcome({ schema: describeSchema(smaller) })
  const client = new Client(server.url, { token: "t" }, time.port())
  const error = await failure(client.joinOrCreate(schema))
  expect(error).toMatchObject({ name: "JoinError", code: "E_SCHEMA_MISMATCH", closeCode: null })
  expect(await (await server.peer()).closed).toBe(1000)
})

test("[D-24] a deployment that takes fields away while the client is off ends the session", async () => {
  const room = await dropped()
  const errors: Array<string> = []
  room.onError((code) => errors.push(code))
  const left = new Promise((resolve) => room.onLeave((code, why) => resolve([code, why])))
  server.onHello = (each) => each.welcome({ schema: describeSchema(smaller) })
  time.advance(100)
  expect(await left).toEqual([4001, "E_SCHEMA_MISMATCH"])
  expect(errors).toEqual(["E_SCHEMA_MISMATCH"])
  expect(time.waitsMs).toEqual([])
})

test("[D-24] a deployment that adds fields changes neither the view object nor what is queued", async () => {
  const room = await dropped()
  const view = room.state
  room.send("chat", { text: "queued" })
  const grown = await FakeRoomServer.open(larger)
  grown.room.state.players.add({ name: "bea", hp: 9 })
  grown.room.encodeDelta()
  const state = grown.room.encodeFull()
  server.onHello = (each) => each.welcome({ state, schema: describeSchema(larger) })
  const back = new Promise<void>((resolve) => room.onReconnect(resolve))
  time.advance(100)
  await back
  const peer = await server.peer()
  expect(room.state).toBe(view)
  expect([...view.players].map(({ name }) => name)).toEqual(["bea"])
  const fields = larger.messages.byName.get("chat")?.fields ?? []
  expect(await peer.frame()).toEqual([
    2,
    1,
    Buffer.from(packRecord(fields, { text: "queued", loud: false }, ""))
  ])
  await grown.close()
})

test("[D-24] a descriptor that is no schema is a broken frame", async () => {
  const hostile = { ...describeSchema(larger), messages: "all" }
  // This test is about a value that the types forbid.
  server.onHello = (each) => each.welcome({ schema: hostile as never })
  const client = new Client(server.url, { token: "t" }, time.port())
  expect(await failure(client.joinOrCreate(schema))).toMatchObject({ code: "E_PROTOCOL" })
})
