import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { expect, test } from "vitest"

import { readSave } from "./ReadSave.ts"
import { encodeSnapshotFile } from "./SnapshotFile.ts"

const schema = defineSchema({
  type: "arena",
  singletons: { score: { red: s.u32(), blue: s.u32() } },
  entities: { coins: { x: s.f32() } }
})

const saved = (): Uint8Array => {
  const room = makeRoomState(schema)
  room.state.score.red = 7
  room.state.coins.add({ x: 1.5 })
  return encodeSnapshotFile({
    state: room.encodeSnapshot(),
    sessions: [],
    tick: 12,
    patches: 3,
    random: [1, 2, 3, 4],
    lobby: { isPublic: true, started: false }
  })
}

test("[saves.bytes-raw] a save reads back with the schema that it was written with", () => {
  const { state, tick, lobby } = readSave(schema, saved())
  expect([state.score.red, state.score.blue]).toEqual([7, 0])
  expect([...state.coins].map(({ x }) => x)).toEqual([1.5])
  expect([tick, lobby]).toEqual([12, { isPublic: true, started: false }])
})

test("[saves.bytes-raw] bytes that are no save, or of another schema, are an error", () => {
  expect(() => readSave(schema, new Uint8Array([1, 2, 3]))).toThrow()
  const other = defineSchema({ type: "arena", singletons: { score: { red: s.string(4) } } })
  expect(() => readSave(other, saved())).toThrow()
})
