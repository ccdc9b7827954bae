import fc from "fast-check"
import { expect, test } from "vitest"

import { defineSchema, describe as descriptorOf, fromDescriptor, s } from "../schema.ts"
import type { FieldSpec } from "../schema/FieldSpec.ts"
import type { AnyRoomSchema, FieldList } from "../schema/RoomSchema.ts"
import { schemaDifference } from "../schema/SchemaDifference.ts"
import { unknownChoice } from "../schema/UnknownChoice.ts"
import { makeRoomState } from "./RoomState.ts"
import { makeStateView } from "./StateView.ts"
import { historyOf, takeStep } from "./testing/History.ts"
import { versions } from "./testing/Versions.ts"

/** The room's schema as a client of an older one reads it. */
const readBy = (old: AnyRoomSchema, room: AnyRoomSchema): AnyRoomSchema => {
  const read = fromDescriptor(JSON.parse(JSON.stringify(descriptorOf(room))))
  expect(
    schemaDifference(old, read, (_, known, field) => (field.readAs(known) ? null : "type"))
  ).toBeNull()
  return read
}

/** What of a value the older client may see: it does not know each choice. */
const seen = (known: FieldSpec, value: unknown): unknown => {
  if (known.kind === "list" && Array.isArray(value))
    return value.map((item) => seen(known.of, item))
  return known.kind !== "enum" || known.choices.some((choice) => choice === value)
    ? value
    : undefined
}

/** The values of a record, with the place of each choice that the reader does not know. */
const shown = (record: object, fields: FieldList): ReadonlyArray<unknown> =>
  fields.map(({ name }) => {
    const value: unknown = Reflect.get(record, name)
    const places = Array.isArray(value) ? value.map((_, at) => unknownChoice(value, at)) : []
    // A copy, without the notes of unknown choices: `places` has them.
    const items = Array.isArray(value) ? value.slice() : value
    return [items, unknownChoice(record, name), places]
  })

/** The same as it should be, from the record of the room. */
const expected = (record: object, room: FieldList, known: FieldList): ReadonlyArray<unknown> =>
  known.map(({ name, field }) => {
    const value: unknown = Reflect.get(record, name)
    const spec = room.find((each) => each.name === name)?.field.spec ?? field.spec
    const place = (of: FieldSpec, item: unknown, is: FieldSpec): number | undefined =>
      of.kind === "enum" && is.kind === "enum" && seen(of, item) === undefined
        ? is.choices.findIndex((choice) => choice === item)
        : undefined
    const items = (): ReadonlyArray<unknown> =>
      Array.isArray(value) && field.spec.kind === "list" && spec.kind === "list"
        ? value.map((item) => place(Object(field.spec).of, item, Object(spec).of))
        : []
    return [seen(field.spec, value), place(field.spec, value, spec), items()]
  })

const recordsOf = (state: object, name: string): ReadonlyArray<object> => {
  const found: unknown = Reflect.get(state, name)
  return Object(found)[Symbol.iterator] === undefined ? [Object(found)] : [...Object(found)]
}

/** Choices wherever a field may hold them, and one more of each. */
const choosing = (...more: ReadonlyArray<string>): AnyRoomSchema => {
  const team = s.enum("red", ...more)
  return defineSchema({ type: "grows", entities: { c0: { team, list: s.list(team, 3) } } })
}

/** Random versions alone may by chance hold no choice at all. */
const grown = fc.oneof(
  { weight: 4, arbitrary: versions },
  { weight: 1, arbitrary: fc.constant([choosing(), choosing("blue")]) }
)

const lives = grown.chain((schemas) =>
  fc.record({
    schemas: fc.constant(schemas),
    place: fc.nat(schemas.length - 1),
    history: historyOf(schemas.at(-1) ?? schemas[0] ?? fail())
  })
)

const fail = (): never => {
  throw new Error("no version")
}

test("[C-680] a client of any older schema sees all that it knows, and no more choices than it knows", () => {
  const choices = { unknown: 0 }
  fc.assert(
    fc.property(lives, ({ schemas, place, history }) => {
      const [old, last] = [schemas[place] ?? fail(), schemas.at(-1) ?? fail()]
      const room = makeRoomState(last)
      const view = makeStateView(readBy(old, last))
      const agree = (): void => {
        expect(view.encodeFull()).toEqual(room.encodeFull())
        for (const shape of [...old.singletons.list, ...old.collections.list]) {
          const { fields } = Object(
            last.singletons.byName.get(shape.name) ?? last.collections.byName.get(shape.name)
          )
          const [rows, records] = [view.state, room.state].map((state) =>
            recordsOf(state, shape.name)
          )
          const read = (rows ?? []).map((record) => shown(record, shape.fields))
          expect(read).toEqual(
            (records ?? []).map((record) => expected(record, fields, shape.fields))
          )
          if (JSON.stringify(read).includes("[null,")) choices.unknown += 1
        }
      }
      view.applyFull(room.encodeFull())
      for (const step of history) {
        if (step.kind === "flush") {
          const delta = room.encodeDelta()
          if (delta !== null) view.applyDelta(delta)
        } else takeStep(room, step)
      }
      const delta = room.encodeDelta()
      if (delta !== null) view.applyDelta(delta)
      agree()
    }),
    { numRuns: 100 }
  )
  expect(choices.unknown).toBeGreaterThan(0)
})
