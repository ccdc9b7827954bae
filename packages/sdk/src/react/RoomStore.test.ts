import { defineRoom } from "@atrium/runtime/room/DefineRoom"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { beforeEach, expect, test, vi } from "vitest"

import type { ClientRoom } from "../client/ClientRoom.ts"
import { RoomHarness } from "../testing/RoomHarness.ts"
import { RoomStay, type RoomStatus } from "./RoomStay.ts"
import { RoomStore, storeOf } from "./RoomStore.ts"

const schema = defineSchema({
  type: "yard",
  entities: { players: { hp: s.u8(), mark: s.bytes(2) } },
  messages: { add: {}, hit: { player: s.u32(), hp: s.u8() }, remove: { player: s.u32() } }
})

const yard = defineRoom(schema, {
  onMessage: {
    add: (room) => void room.state.players.add({ hp: 9, mark: Uint8Array.of(1, 2) }),
    hit(room, _, { player: id, hp }) {
      const player = room.state.players.get(id)
      if (player !== undefined) player.hp = hp
    },
    remove: (room, _, { player }) => void room.state.players.remove(player)
  }
})

let harness: RoomHarness<typeof schema>
let room: ClientRoom<typeof schema>

beforeEach(async () => {
  harness = new RoomHarness(yard)
  room = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  for (let player = 0; player < 3; player += 1) room.send("add", {})
  await harness.advance(0)
})

const sightOf = (id: number | null, field: "hp" | "mark") => ({
  part: "players",
  id,
  fields: [field],
  read: () => [...room.state.players].map((each) => each[field])
})

test("[C-965] tells once of a patch, and only those whose records or fields have changed", async () => {
  const on = vi.spyOn(room, "on")
  const store = new RoomStore(room)
  const [all, one, two, marks] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()]
  const offs = [
    store.show(sightOf(null, "hp")).subscribe(all),
    store.show(sightOf(1, "hp")).subscribe(one),
    store.show(sightOf(2, "hp")).subscribe(two),
    store.show(sightOf(null, "mark")).subscribe(marks)
  ]
  const calls = () => [all, one, two, marks].map(({ mock }) => mock.calls.length)
  room.send("hit", { player: 1, hp: 3 })
  room.send("hit", { player: 3, hp: 3 })
  await harness.advance(0)
  expect(calls()).toEqual([1, 1, 0, 0])
  room.send("remove", { player: 2 })
  room.send("add", {})
  await harness.advance(0)
  expect(calls()).toEqual([2, 1, 1, 1])
  expect(on).toHaveBeenCalledTimes(1)
  for (const off of offs) off()
  room.send("hit", { player: 1, hp: 4 })
  await harness.advance(0)
  expect(calls()).toEqual([2, 1, 1, 1])
})

test("[C-965] a value is the same object until it changes, and one that changed before anybody subscribed is read anew", async () => {
  const shown = storeOf(room).show(sightOf(null, "mark"))
  const first = shown.get()
  expect(shown.get()).toBe(first)
  room.send("hit", { player: 1, hp: 4 })
  room.send("remove", { player: 3 })
  await harness.advance(0)
  const off = shown.subscribe(() => {})
  const second = shown.get()
  expect([first.length, second.length]).toEqual([3, 2])
  room.send("hit", { player: 1, hp: 5 })
  await harness.advance(0)
  expect(shown.get()).toBe(second)
  off()
  expect(storeOf(room)).toBe(storeOf(room))
})

test("[C-966] a stay joins once in StrictMode, says how the room is, and leaves", async () => {
  const join = vi.fn(() => harness.client({ playerId: "bob" }).joinOrCreate(schema))
  const stay = new RoomStay(join)
  const seen: Array<RoomStatus<typeof schema>["status"]> = []
  const notify = () => void seen.push(stay.get().status)
  stay.subscribe(notify)()
  const off = stay.subscribe(notify)
  await harness.advance(0)
  expect([join.mock.calls.length, seen]).toEqual([1, ["joined"]])
  harness.drop("bob")
  await harness.advance(200)
  expect(seen).toEqual(["joined", "away", "joined"])
  const bob = stay.get().room
  off()
  await harness.advance(0)
  expect([bob?.connected, stay.get().status, seen.length]).toEqual([false, "joining", 3])
})

test("[C-966] a stay that ends while it joins leaves at once, and one that is refused says why", async () => {
  const { promise, resolve } = Promise.withResolvers<ClientRoom<typeof schema>>()
  const notify = vi.fn()
  const off = new RoomStay(() => promise).subscribe(notify)
  await harness.advance(0)
  off()
  resolve(room)
  await harness.advance(0)
  expect([room.connected, notify.mock.calls.length]).toEqual([false, 0])
  const error = new Error("the room is full")
  const refused = new RoomStay(() => Promise.reject(error))
  refused.subscribe(notify)
  await harness.advance(0)
  expect(refused.get()).toEqual({ status: "failed", room: null, error })
})
