import fc from "fast-check"
import { expect, test } from "vitest"

import {
  breakingDifference,
  defineSchema,
  describe as descriptorOf,
  type Fields,
  s
} from "../schema.ts"
import type { AnyField } from "../schema/Field.ts"
import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { arbitraryField, recordValue } from "../schema/testing/ArbitrarySchema.ts"
import { packPlayer, unpackPlayer } from "./PlayerCodec.ts"
import { makeRoomState, type RoomState } from "./RoomState.ts"
import { historyOf, takeStep } from "./testing/History.ts"

interface Layout {
  readonly entities: Readonly<Record<string, Fields>>
  readonly singletons: Readonly<Record<string, Fields>>
  readonly messages: Readonly<Record<string, Fields>>
  readonly args: Fields
  readonly player: Fields
}

/** One thing that a new version has more; `pick` chooses where, by remainder. */
interface Growth {
  readonly grows: keyof Layout
  readonly field: AnyField
  readonly pick: number
  /** A new shape, not a field of one that is there. */
  readonly shape: boolean
}

const growth: fc.Arbitrary<Growth> = fc.record({
  grows: fc.constantFrom("entities", "singletons", "messages", "args", "player"),
  field: arbitraryField(true),
  pick: fc.nat(50),
  shape: fc.boolean()
})

/** The same with one entry more, at any place. */
const inserted = <T>(
  entries: Readonly<Record<string, T>>,
  entry: readonly [string, T],
  pick: number
): Readonly<Record<string, T>> => {
  const list = Object.entries(entries)
  return Object.fromEntries(list.toSpliced(pick % (list.length + 1), 0, [...entry]))
}

const grown = (layout: Layout, { grows, field, pick, shape }: Growth, version: number): Layout => {
  const entry = [`f${version}`, field] as const
  if (grows === "args" || grows === "player") {
    // A list or a long text soon is more than the 4 KB that a player may have.
    const small = grows === "args" ? entry : ([entry[0], s.u8({ default: pick })] as const)
    return { ...layout, [grows]: inserted(layout[grows], small, pick) }
  }
  const shapes = layout[grows]
  const name = Object.keys(shapes)[pick % Math.max(1, Object.keys(shapes).length)]
  if (shape || name === undefined) {
    const added = [`${grows}${version}`, { [entry[0]]: field }] as const
    return { ...layout, [grows]: inserted(shapes, added, pick) }
  }
  const fields = inserted(shapes[name] ?? {}, entry, pick)
  return { ...layout, [grows]: { ...shapes, [name]: fields } }
}

const schemaOf = ({ entities, singletons, messages, args, player }: Layout): AnyRoomSchema =>
  defineSchema({
    type: "grows",
    entities,
    singletons,
    messages,
    rpc: { client: { call: { args } } },
    player
  })

const first: Layout = { entities: { c0: {} }, singletons: {}, messages: {}, args: {}, player: {} }

/** The versions of a game that only ever grew. */
const versions: fc.Arbitrary<ReadonlyArray<AnyRoomSchema>> = fc
  .array(growth, { minLength: 1, maxLength: 12 })
  .map((growths) => {
    const layouts = [first]
    for (const [place, each] of growths.entries()) {
      layouts.push(grown(layouts[place] ?? first, each, place + 1))
    }
    return layouts.map(schemaOf)
  })

const lifeOfSome = versions.chain((schemas) =>
  fc.nat(schemas.length - 1).chain((place) => {
    const schema = schemas[place] ?? schemaOf(first)
    return fc.record({
      schemas: fc.constant(schemas),
      place: fc.constant(place),
      history: historyOf(schema),
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
  const singletons = next.singletons.list.map(
    ({ name }) => [name, { ...defaults[name], ...before[name] }] as const
  )
  const collections = next.collections.list.map(({ name }) => {
    const rows = before[name] ?? []
    const entity = added(blank, name)
    return [name, Array.isArray(rows) ? rows.map((row) => ({ ...entity, ...row })) : []] as const
  })
  return Object.fromEntries([...singletons, ...collections])
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
