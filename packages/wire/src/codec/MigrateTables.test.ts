import fc from "fast-check"
import { expect, test } from "vitest"

import { breakingDifference, defineSchema, describe as descriptorOf } from "../schema.ts"
import type { AnyField, FieldList } from "../schema/Field.ts"
import { FieldError } from "../schema/FieldError.ts"
import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { recordValue } from "../schema/testing/ArbitrarySchema.ts"
import { plainForm } from "./PlainForm.ts"
import { packPlayer, unpackPlayer } from "./PlayerCodec.ts"
import { makeRoomState, type RoomState } from "./RoomState.ts"
import { historyOf, takeStep } from "./testing/History.ts"
import { versions } from "./testing/Versions.ts"

const lifeOfSome = versions.chain((schemas) =>
  fc.nat(schemas.length - 1).chain((place) => {
    const schema = schemas[place] ?? defineSchema({ type: "none" })
    return fc.record({
      schemas: fc.constant(schemas),
      place: fc.constant(place),
      history: historyOf(schema),
      later: historyOf(schemas.at(-1) ?? schema),
      player: recordValue(schema.player)
    })
  })
)

/** What a state holds, by the names of its shapes; entities are lists in order of their ids. */
type Plain = Readonly<Record<string, Values | ReadonlyArray<Values>>>
type Values = Readonly<Record<string, unknown>>

const plainOf = (room: RoomState<AnyRoomSchema>): Plain => JSON.parse(JSON.stringify(room.state))

const migrated = (
  to: AnyRoomSchema,
  from: AnyRoomSchema,
  bytes: Uint8Array
): RoomState<AnyRoomSchema> => {
  const room = makeRoomState(to)
  // Descriptors are kept as JSON.
  room.migrateSnapshot(JSON.parse(JSON.stringify(descriptorOf(from))), bytes)
  return room
}

/** Adds an entity of defaults: its id tells which come next. */
const added = (room: RoomState<AnyRoomSchema>, name: string): Values => {
  const collection: unknown = Reflect.get(room.state, name)
  const add: unknown = Reflect.get(Object(collection), "add")
  if (typeof add !== "function") throw new Error(`${name} is no collection`)
  return JSON.parse(JSON.stringify(Reflect.apply(add, collection, [])))
}

/** The values of a state, and of a larger schema the defaults: what a newer version should read. */
const withDefaults = (before: Plain, next: AnyRoomSchema): Plain => {
  const blank = makeRoomState(next)
  const defaults = plainOf(blank)
  const singletons = next.singletons.list.map(({ name, fields }) => {
    const values = { ...defaults[name], ...before[name] }
    return [name, { ...values, ...withParts(fields, values) }] as const
  })
  const collections = next.collections.list.map(({ name, fields }) => {
    const rows = before[name] ?? []
    const entity = added(blank, name)
    const filled = (row: Values) => ({ ...entity, ...row, ...withParts(fields, row) })
    return [name, Array.isArray(rows) ? rows.map(filled) : []] as const
  })
  return Object.fromEntries([...singletons, ...collections])
}

/** A value, and the defaults of fields that a struct in it has got since. */
const withPartsOf = ({ spec, fields, item }: AnyField, value: unknown): unknown => {
  if (spec.kind === "struct") return withParts(fields, Object(value))
  // JSON writes what is absent from a list as null.
  if (item === null || value === undefined || value === null) return value
  if (spec.kind === "optional") return withPartsOf(item, value)
  const entries: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  return spec.kind === "map"
    ? entries.map((entry) => [Object(entry)[0], withPartsOf(item, Object(entry)[1])])
    : entries.map((entry) => withPartsOf(item, entry))
}

const withParts = (fields: FieldList, values: Values): Values => {
  const defaults = Object.fromEntries(fields.map(({ name, field }) => [name, field.default]))
  const all: Values = { ...JSON.parse(JSON.stringify(plainForm(defaults))), ...values }
  return Object.fromEntries(fields.map(({ name, field }) => [name, withPartsOf(field, all[name])]))
}

test("[version.old-snapshots-decode] the last version reads the state of any: its values, else defaults", () => {
  fc.assert(
    fc.property(lifeOfSome, ({ schemas, place, history }) => {
      const [old, last] = [schemas[place], schemas.at(-1)]
      if (old === undefined || last === undefined) throw new Error("no version")
      for (const later of schemas.slice(place)) expect(breakingDifference(old, later)).toBeNull()
      const room = makeRoomState(old)
      for (const step of history) takeStep(room, step)
      const bytes = room.encodeSnapshot()
      const read = migrated(last, old, bytes)
      expect(plainOf(read)).toEqual(withDefaults(plainOf(room), last))

      // A room that woke under every version on the way holds the same.
      let [stepwise, at] = [room, old]
      for (const next of schemas.slice(place + 1)) {
        stepwise = migrated(next, at, stepwise.encodeSnapshot())
        at = next
      }
      expect(plainOf(stepwise)).toEqual(plainOf(migrated(at, old, bytes)))
      for (const { name } of old.collections.list) {
        expect(added(read, name)["id"]).toBe(added(room, name)["id"])
      }
    }),
    { numRuns: 60 }
  )
})

test("[C-681] a state goes back to the version that it came from, to the byte, where nothing new is in it", () => {
  fc.assert(
    fc.property(lifeOfSome, ({ schemas, place, history }) => {
      const [old, last] = [schemas[place], schemas.at(-1)]
      if (old === undefined || last === undefined) throw new Error("no version")
      const room = makeRoomState(old)
      for (const step of history) takeStep(room, step)
      const bytes = room.encodeSnapshot()
      const newer = migrated(last, old, bytes)
      expect(migrated(old, last, newer.encodeSnapshot()).encodeSnapshot()).toEqual(bytes)
    }),
    { numRuns: 60 }
  )
})

test("[C-681] a state goes back whole or not at all", () => {
  const went = { back: 0, nowhere: 0 }
  fc.assert(
    fc.property(lifeOfSome, ({ schemas, place, history, later }) => {
      const [old, last] = [schemas[place], schemas.at(-1)]
      if (old === undefined || last === undefined) throw new Error("no version")
      const room = makeRoomState(old)
      for (const step of history) takeStep(room, step)
      const newer = migrated(last, old, room.encodeSnapshot())
      for (const step of later) takeStep(newer, step)
      const bytes = newer.encodeSnapshot()
      const back = makeRoomState(old)
      try {
        back.migrateSnapshot(descriptorOf(last), bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(FieldError)
        expect(back.encodeSnapshot()).toEqual(makeRoomState(old).encodeSnapshot())
        went.nowhere += 1
        return
      }
      expect(migrated(last, old, back.encodeSnapshot()).encodeSnapshot()).toEqual(bytes)
      went.back += 1
    }),
    { numRuns: 100 }
  )
  expect(Math.min(went.back, went.nowhere)).toBeGreaterThan(0)
})

test("[version.old-snapshots-decode] the last version reads the player of any: its values, else defaults", () => {
  fc.assert(
    fc.property(lifeOfSome, ({ schemas, place, player }) => {
      const [old, last] = [schemas[place], schemas.at(-1)]
      if (old === undefined || last === undefined) throw new Error("no version")
      const bytes = packPlayer(old.player, player)
      expect(unpackPlayer(last.player, bytes)).toEqual({
        ...unpackPlayer(last.player, null),
        ...unpackPlayer(old.player, bytes)
      })
    }),
    { numRuns: 60 }
  )
})
