import fc from "fast-check"

import { defineSchema } from "../../schema/DefineSchema.ts"
import type { Fields } from "../../schema/Definition.ts"
import { type AnyField, makeField } from "../../schema/Field.ts"
import { s } from "../../schema/FieldKinds.ts"
import type { AnyRoomSchema } from "../../schema/RoomSchema.ts"
import { arbitraryField } from "../../schema/testing/ArbitrarySchema.ts"
import { widened } from "../../schema/testing/Widened.ts"

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
  /** A new shape, a new field of one that is there, or a field that is there and takes more. */
  readonly by: "shape" | "field" | "width"
}

const growth: fc.Arbitrary<Growth> = fc.record({
  grows: fc.constantFrom("entities", "entities", "singletons", "messages", "args", "player"),
  field: arbitraryField(true),
  pick: fc.nat(50),
  by: fc.constantFrom("shape", "field", "field", "width", "width", "width")
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

/** The same with every field as wide as it may become. */
const wide = (fields: Fields, pick: number): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { spec }]) => [name, makeField(widened(spec, pick))])
  )

const grown = (layout: Layout, { grows, field, pick, by }: Growth, version: number): Layout => {
  const entry = [`f${version}`, field] as const
  if (grows === "args" || grows === "player") {
    if (by === "width") return { ...layout, [grows]: wide(layout[grows], pick) }
    // A list or a long text soon is more than the 4 KB that a player may have.
    const small = grows === "args" ? entry : ([entry[0], s.u8({ default: pick })] as const)
    return { ...layout, [grows]: inserted(layout[grows], small, pick) }
  }
  const shapes = layout[grows]
  const name = Object.keys(shapes)[pick % Math.max(1, Object.keys(shapes).length)]
  if (by === "shape" || name === undefined) {
    const added = [`${grows}${version}`, { [entry[0]]: field }] as const
    return { ...layout, [grows]: inserted(shapes, added, pick) }
  }
  const before = shapes[name] ?? {}
  const fields = by === "width" ? wide(before, pick) : inserted(before, entry, pick)
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

/** The versions of a game that only ever took more. */
export const versions: fc.Arbitrary<ReadonlyArray<AnyRoomSchema>> = fc
  .array(growth, { minLength: 1, maxLength: 12 })
  .map((growths) => {
    const layouts = [first]
    for (const [place, each] of growths.entries()) {
      layouts.push(grown(layouts[place] ?? first, each, place + 1))
    }
    return layouts.map(schemaOf)
  })
