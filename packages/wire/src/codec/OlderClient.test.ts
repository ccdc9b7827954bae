import fc from "fast-check"
import { expect, test } from "vitest"

import { defineSchema, describe as descriptorOf, fromDescriptor, s } from "../schema.ts"
import type { FieldSpec, NamedSpec } from "../schema/FieldSpec.ts"
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

/** What the older client reads of a part of a holder: of a choice that it does not know the place. */
const read = (spec: FieldSpec, holder: object, key: string | number): unknown => {
  const value: unknown = holder instanceof Map ? holder.get(key) : Reflect.get(holder, key)
  const unknown = unknownChoice(holder, key)
  if (unknown !== undefined) return { unknown, value }
  const is = spec.kind === "optional" ? spec.of : spec
  if (is.kind === "list" && Array.isArray(value))
    return value.map((_, at) => read(is.of, value, at))
  if (is.kind === "map" && value instanceof Map) {
    return [...value.keys()].map((name: string | number) => [name, read(is.value, value, name)])
  }
  if (is.kind !== "struct" || value === undefined) return value
  return is.fields.map(({ name, spec: of }) => read(of, Object(value), name))
}

/** The same as it should be, from the value of the room. */
const expected = (spec: FieldSpec, room: FieldSpec, value: unknown): unknown => {
  if (value === undefined) return undefined
  if (spec.kind === "optional") return expected(spec.of, Object(room).of, value)
  if (spec.kind === "list" && Array.isArray(value)) {
    return value.map((item) => expected(spec.of, Object(room).of, item))
  }
  if (spec.kind === "map") {
    const { key, value: of } = Object(room)
    const entries: ReadonlyArray<readonly [unknown, unknown]> = [...Object(value)]
    // Nobody can ask for an entry by a key that is not known.
    return entries
      .filter(([name]) => expected(spec.key, key, name) === name)
      .map(([name, held]) => [name, expected(spec.value, of, held)])
  }
  if (spec.kind === "struct") {
    return spec.fields.map(({ name, spec: of }) => {
      const fields: ReadonlyArray<NamedSpec> = Object(room).fields
      return expected(
        of,
        fields.find((each) => each.name === name)?.spec ?? of,
        Object(value)[name]
      )
    })
  }
  if (spec.kind !== "enum" || spec.choices.some((choice) => choice === value)) return value
  return { unknown: Object(room).choices.indexOf(value) }
}

const recordsOf = (state: object, name: string): ReadonlyArray<object> => {
  const found: unknown = Reflect.get(state, name)
  return Object(found)[Symbol.iterator] === undefined ? [Object(found)] : [...Object(found)]
}

/** Choices wherever a field may hold them, and one more of each. */
const choosing = (...more: ReadonlyArray<string>): AnyRoomSchema => {
  const team = s.enum("red", ...more)
  return defineSchema({
    type: "grows",
    entities: {
      c0: {
        team,
        list: s.list(team, 3),
        struct: s.struct({ team, hp: s.u8() }),
        optional: s.optional(team),
        map: s.map(team, s.struct({ teams: s.list(team, 2) }), 4),
        values: s.map(s.u8(), team, 4)
      }
    }
  })
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
          const { fields }: { readonly fields: FieldList } = Object(
            last.singletons.byName.get(shape.name) ?? last.collections.byName.get(shape.name)
          )
          const [rows, records] = [view.state, room.state].map((state) =>
            recordsOf(state, shape.name)
          )
          const specOf = (name: string, known: FieldSpec): FieldSpec =>
            fields.find((each) => each.name === name)?.field.spec ?? known
          const shown = (rows ?? []).map((record) =>
            shape.fields.map(({ name, field }) => read(field.spec, record, name))
          )
          expect(shown).toEqual(
            (records ?? []).map((record) =>
              shape.fields.map(({ name, field: { spec } }) =>
                expected(spec, specOf(name, spec), Reflect.get(record, name))
              )
            )
          )
          if (JSON.stringify(shown).includes('"unknown":')) choices.unknown += 1
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
