import { defineRoom } from "@atrium/runtime/room/DefineRoom"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { describe as describeSchema } from "@atrium/wire/schema/Describe"
import { s } from "@atrium/wire/schema/FieldKinds"
import { afterEach, beforeEach, expect, expectTypeOf, test, vi } from "vitest"

import { RoomHarness } from "../testing/RoomHarness.ts"
import type { ClientRoom } from "./ClientRoom.ts"
import type { FakePeer, FakeRoomServer } from "./testing/FakeRoomServer.ts"
import type { FakeTime } from "./testing/FakeTime.ts"
import { joinedRoom } from "./testing/JoinedRoom.ts"

const card = s.struct({ suit: s.enum("clubs", "hearts"), rank: s.u8() })
const players = {
  name: s.string(32),
  x: s.f32(),
  hand: s.list(card, 4),
  chips: s.map(s.enum("red", "blue"), s.u16(), 2)
}
const definition = {
  type: "table",
  entities: { players },
  singletons: { score: { red: s.u16(), blue: s.u16() } }
} as const
const schema = defineSchema(definition)

let server: FakeRoomServer<typeof schema>
let time: FakeTime
let room: ClientRoom<typeof schema>
let peer: FakePeer<typeof schema>
let told: Array<ReadonlyArray<unknown>>

beforeEach(async () => {
  ;({ server, time, room, peer } = await joinedRoom(schema))
  told = []
})
afterEach(() => server.close())

/** Sends what changed, and resolves when the client has it. */
const patch = (): Promise<void> =>
  new Promise((resolve) => {
    const off = room.onStateChange(() => {
      off()
      resolve()
    })
    server.patch()
  })

const listen = () =>
  room.on("players", {
    add: ({ id, name }) => told.push(["add", id, name]),
    change: ({ id }, fields) => told.push(["change", id, ...fields]),
    remove: ({ id, name }) => told.push(["remove", id, name])
  })

test("[C-961] tells each record once, when the whole patch is applied: who has left, who has come, and which fields changed", async () => {
  const { state } = server.room
  const [ann, bob] = [state.players.add({ name: "ann" }), state.players.add({ name: "bob" })]
  await patch()
  listen()
  const sizes: Array<unknown> = []
  room.on("players", { add: () => sizes.push([room.state.players.size, room.state.score.red]) })
  ann.x = 1
  ann.hand = [{ suit: "hearts", rank: 3 }]
  state.players.remove(bob.id)
  state.players.add({ name: "cleo", x: 2 }).x = 3
  state.players.remove(state.players.add({ name: "dora" }).id)
  state.score.red = 5
  await patch()
  expect(told).toEqual([
    ["remove", 2, "bob"],
    ["add", 3, "cleo"],
    ["change", 1, "x", "hand"]
  ])
  expect(sizes).toEqual([[2, 5]])
})

test("[C-961] names a field when anything within its value changed, and gives the same record each time", async () => {
  const ann = server.room.state.players.add({ hand: [{ suit: "clubs", rank: 1 }] })
  const records = new Set<unknown>()
  room.on("players", {
    add: (record) => records.add(record),
    change: (record, fields) => {
      expectTypeOf(fields).toEqualTypeOf<ReadonlyArray<"name" | "x" | "hand" | "chips">>()
      expectTypeOf(record.hand[0]?.rank).toEqualTypeOf<number | undefined>()
      records.add(record)
      told.push(fields)
    }
  })
  await patch()
  const [first] = ann.hand
  if (first !== undefined) first.rank = 2
  await patch()
  ann.chips.set("red", 4)
  await patch()
  ann.chips.set("red", 5).set("red", 4)
  ann.x = 1
  ann.x = 0
  server.room.state.score.red = 1
  await patch()
  expect(told.slice(0, 2)).toEqual([["hand"], ["chips"]])
  expect(told.flat()).not.toContain("x")
  expect([...records]).toEqual([room.state.players.get(ann.id)])
})

test("[C-961] a singleton has changes alone", async () => {
  room.on("score", {
    change: ({ red }, fields) => {
      expectTypeOf(fields).toEqualTypeOf<ReadonlyArray<"red" | "blue">>()
      told.push([red, ...fields])
    }
  })
  server.room.state.score.red = 2
  server.room.state.players.add()
  await patch()
  // @ts-expect-error nothing comes into a singleton
  room.on("score", { add: () => {} })
  // @ts-expect-error there is no such part of the state
  expect(() => room.on("bots", {})).toThrow("bots: the schema has no such collection or singleton")
  expect(told).toEqual([[2, "red"]])
})

test("[C-961] after a reconnect tells the difference to what was there before", async () => {
  const { state } = server.room
  const ann = state.players.add({ name: "ann", hand: [{ suit: "clubs", rank: 1 }] })
  state.players.add({ name: "bob" })
  await patch()
  listen()
  const { hand } = Object(room.state.players.get(ann.id))
  const late = vi.fn()
  room.onReconnect(() => room.on("players", { add: late, change: late, remove: late }))
  const dropped = new Promise((resolve) => room.onDrop(resolve))
  peer.terminate()
  await dropped
  ann.x = 7
  state.players.remove(2)
  state.players.add({ name: "cleo" })
  server.room.encodeDelta()
  const back = new Promise<void>((resolve) => room.onStateChange(() => resolve()))
  time.advance(100)
  await back
  expect(told).toEqual([
    ["remove", 2, "bob"],
    ["add", 3, "cleo"],
    ["change", 1, "x"]
  ])
  expect(room.state.players.get(ann.id)?.hand).toBe(hand)
  expect(late).not.toHaveBeenCalled()
})

test("[C-962] a room of another schema has other records: those of before are gone, and singletons changed", async () => {
  const larger = defineSchema({ ...definition, entities: { players: { ...players, hp: s.u8() } } })
  server.room.state.players.add({ name: "ann" })
  await patch()
  listen()
  room.on("score", { change: (_, fields) => told.push(fields) })
  const [before] = room.state.players
  const later = makeRoomState(larger)
  later.state.players.add({ name: "ann", hp: 3 })
  later.encodeDelta()
  const state = later.encodeFull()
  server.onHello = (each) => each.welcome({ schema: describeSchema(larger), state })
  const dropped = new Promise((resolve) => room.onDrop(resolve))
  peer.terminate()
  await dropped
  const back = new Promise<void>((resolve) => room.onStateChange(() => resolve()))
  time.advance(100)
  await back
  expect(told).toEqual([
    ["remove", 1, "ann"],
    ["add", 1, "ann"],
    ["red", "blue"]
  ])
  expect(room.state.players.get(1)).not.toBe(before)
})

test("[C-961] a call may end its own and other listeners, add some, and throw", async () => {
  const uncaught = vi.fn()
  process.once("uncaughtException", uncaught)
  const late = vi.fn()
  const offs = [
    room.on("players", {
      add: () => {
        offs[1]?.()
        room.on("players", { add: late })
        throw new Error("the game's own fault")
      }
    }),
    room.on("players", { add: () => told.push(["ended"]) }),
    listen()
  ]
  server.room.state.players.add({ name: "ann" })
  await patch()
  await expect.poll(() => uncaught.mock.calls.length).toBe(1)
  expect([told, late.mock.calls.length]).toEqual([[["add", 1, "ann"]], 0])
  for (const off of offs) off()
  for (const off of offs) off()
  server.room.state.players.add({ name: "bob" })
  await patch()
  expect([told.length, late.mock.calls.length]).toEqual([1, 1])
})

test("[C-961] a record that comes into sight is added, and one that goes out of sight is removed", async () => {
  const duel = defineSchema({
    type: "duel",
    entities: { hands: { owner: s.string(8), open: s.bool(), card: s.u8() } },
    rpc: { client: { open: { args: { yes: s.bool() } } } }
  })
  const duelRoom = defineRoom(duel, {
    visible: {
      hands: { visibleTo: (client, hand) => hand.open || hand.owner === client.playerId }
    },
    onJoin: (own, { playerId }) => void own.state.hands.add({ owner: playerId, card: 7 }),
    rpc: {
      open(own, { playerId }, { yes }) {
        for (const hand of own.state.hands) if (hand.owner === playerId) hand.open = yes
      }
    }
  })
  const harness = new RoomHarness(duelRoom)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(duel)
  const bob = await harness.client({ playerId: "bob" }).joinOrCreate(duel)
  ann.on("hands", {
    add: ({ owner, card: worth }) => told.push(["add", owner, worth]),
    change: ({ owner }, fields) => told.push(["change", owner, ...fields]),
    remove: ({ owner, open }) => told.push(["remove", owner, open])
  })
  await bob.request("open", { yes: true })
  await ann.request("open", { yes: true })
  await bob.request("open", { yes: false })
  await harness.advance(0)
  expect(told).toEqual([
    ["add", "bob", 7],
    ["change", "ann", "open"],
    ["remove", "bob", true]
  ])
})
