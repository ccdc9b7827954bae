import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { describe } from "@atrium/wire/schema/Describe"
import { s } from "@atrium/wire/schema/FieldKinds"
import { withHidden } from "@atrium/wire/schema/HiddenState"
import { expect, test } from "vitest"

import { StartOfRoom } from "../testing/TestOrders.ts"
import { TestPort, TestRoom } from "../testing/TestRoom.ts"
import { defineRoom } from "./DefineRoom.ts"
import { LiveRoom } from "./LiveRoom.ts"

const open = defineSchema({ type: "cards", singletons: { table: { round: s.u8() } } })
const first = { singletons: { deck: { next: s.u8() } } }
const second = { singletons: { deck: { next: s.u8(), last: s.u8({ default: 7 }) } } }
const hidden = (of: typeof first) => describe(withHidden(open, of))

/** The hidden state after a start from what a room of the first version stored. */
const started = (of: typeof first | null, schema: ReturnType<typeof describe> | null) => {
  const before = new TestRoom(open, {
    ...(of === null ? {} : { hidden: of }),
    onCreate: (room) => Object.assign(Object(room.hidden).deck ?? {}, { next: 40 })
  })
  const { bytes } = before.snapshot()
  const seen: Array<unknown> = []
  const next = defineRoom(open, {
    hidden: second,
    onDispose: (room) => void seen.push(JSON.parse(JSON.stringify(room.hidden.deck)))
  })
  const start = { ...StartOfRoom, type: "cards", snapshot: { bytes, schema } }
  const live = LiveRoom.start(new TestPort(), next, start)
  live.takeSnapshot(1, true)
  return seen[0]
}

test("[C-721] hidden state of another version comes by name, with defaults for what is new", () => {
  expect(started(first, hidden(first))).toEqual({ next: 40, last: 7 })
  expect(started(second, null)).toEqual({ next: 40, last: 7 })
  expect(started(null, describe(open))).toEqual({ next: 0, last: 7 })
})

test("[C-721] what was hidden is shown by a version that says so, and hidden again by the next", () => {
  const shown = defineSchema({
    type: "cards",
    singletons: { table: { round: s.u8() }, deck: { next: s.u8(), last: s.u8({ default: 7 }) } }
  })
  const hiding = new TestRoom(open, {
    hidden: second,
    onCreate: ({ hidden: { deck } }) => void (deck.next = 40)
  })
  const showing = new TestRoom(shown, {}, { snapshot: hiding.snapshot() })
  const seen = defineRoom(open, {
    hidden: second,
    onDispose: ({ hidden: { deck } }) => expect(deck.next).toBe(40)
  })
  const snapshot = showing.snapshot()
  expect.assertions(1)
  const start = { ...StartOfRoom, type: "cards", snapshot }
  LiveRoom.start(new TestPort(), seen, start).takeSnapshot(1, true)
})

test.each<[string, typeof first | null, ReturnType<typeof describe> | null]>([
  ["knows no hidden state", first, describe(open)],
  ["takes it for that of the code", first, null],
  ["takes hidden state for there where none is", null, null],
  ["takes it for another one", first, hidden(second)]
])(
  "[C-721] the room refuses a snapshot whose layout differs from that of the service: the service %s",
  (_, of, schema) => {
    expect(() => started(of, schema)).toThrow("not of the schema that it is read with")
  }
)
