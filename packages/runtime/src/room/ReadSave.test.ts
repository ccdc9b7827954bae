import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"
import { expect, test } from "vitest"

import { defineRoom } from "./DefineRoom.ts"
import { readSave } from "./ReadSave.ts"
import { encodeSnapshotFile } from "./SnapshotFile.ts"

const schema = defineSchema({
  type: "arena",
  singletons: { score: { red: s.u32(), blue: s.u32() } },
  entities: { coins: { x: s.f32() } }
})

const room = defineRoom(schema, {
  hidden: { singletons: { deck: { next: s.u8() } }, entities: { bets: { of: s.ref("coins") } } }
})

test("[C-723] a save with hidden state reads back with its room, and with nothing less", () => {
  const stored: AnyRoomSchema = room.stored ?? schema
  const all = makeRoomState(stored)
  const { deck, bets, coins } = Object(all.state)
  deck.next = 3
  bets.add({ of: 9 })
  coins.add({ x: 2 })
  const bytes = fileOf(all.encodeSnapshot(), { layout: schemaHash(stored) })
  const { state, hidden } = readSave(room, bytes)
  expect([hidden.deck.next, [...hidden.bets].map((bet) => bet.of), state.coins.size]).toEqual([
    3,
    [9],
    1
  ])
  expect(Object.keys(state)).toEqual(["score", "coins"])
  for (const less of [schema, defineRoom(schema, {})]) {
    expect(() => readSave(less, bytes)).toThrow("read it with the room that wrote it")
  }
})

const fileOf = (state: Uint8Array, more: { readonly layout?: string } = {}): Uint8Array =>
  encodeSnapshotFile({
    state,
    sessions: [],
    tick: 12,
    patches: 3,
    random: [1, 2, 3, 4],
    lobby: { isPublic: true, started: false },
    ...more
  })

const saved = (): Uint8Array => {
  const room = makeRoomState(schema)
  room.state.score.red = 7
  room.state.coins.add({ x: 1.5 })
  return fileOf(room.encodeSnapshot())
}

test("[saves.bytes-raw] a save reads back with the schema that it was written with", () => {
  const { state, tick, lobby } = readSave(schema, saved())
  expect([state.score.red, state.score.blue]).toEqual([7, 0])
  expect([...state.coins].map(({ x }) => x)).toEqual([1.5])
  expect([tick, lobby]).toEqual([12, { isPublic: true, started: false }])
  // A room without hidden state stands for its schema.
  const bare = readSave(defineRoom(schema, {}), saved())
  expect([bare.tick, bare.hidden]).toEqual([12, {}])
})

test("[saves.bytes-raw] bytes that are no save, or of another schema, are an error", () => {
  expect(() => readSave(schema, new Uint8Array([1, 2, 3]))).toThrow()
  const other = defineSchema({ type: "arena", singletons: { score: { red: s.string(4) } } })
  expect(() => readSave(other, saved())).toThrow()
})
