import type { AnyRoomSchema, FieldList } from "@atrium/sdk/schema"
import { packRecord } from "@atrium/wire/codec/RecordCodec"
import { RoomCollection } from "@atrium/wire/codec/RoomCollection"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import type { FieldSpec } from "@atrium/wire/schema/FieldSpec"

/** Sizes of a game in bytes, as the codec makes them of a state that nobody has played. */
export interface GameSizes {
  readonly stateBytes: number
  /** A patch, with its frame. */
  readonly patchBytes: number
  /** The largest message of a player, with its frame. */
  readonly upBytes: number
}

const textBytes = 16
const listItems = 4
/** `[17, tick, delta]` and `[2, messageIndex, payload]` around their bytes. */
const frameBytes = { patch: 10, message: 5 } as const

/** The first or the second of two different values; texts and lists have a usual length, not the greatest. */
const sampleOf = (spec: FieldSpec, second: boolean): unknown => {
  switch (spec.kind) {
    case "bool":
      return second
    case "f32":
    case "f64":
      return second ? 2.5 : 1.5
    case "quantised":
      return spec.min + (second ? 0.5 : 0.25) * (spec.max - spec.min)
    case "string":
      return (second ? "b" : "a").repeat(Math.min(spec.maxBytes, textBytes))
    case "bytes":
      return new Uint8Array(Math.min(spec.maxBytes, textBytes)).fill(second ? 2 : 1)
    case "enum":
      return spec.choices.at(second ? -1 : 0)
    case "ref":
      return second ? 2 : 1
    case "list":
      return Array.from({ length: Math.min(spec.maxLength, listItems) }, () =>
        sampleOf(spec.of, second)
      )
    case "struct":
      return Object.fromEntries(
        spec.fields.map(({ name, spec: field }) => [name, sampleOf(field, second)])
      )
    // The same keys before and after: what changes is the value.
    case "map":
      return new Map([[sampleOf(spec.key, false), sampleOf(spec.value, second)]])
    case "optional":
      return sampleOf(spec.of, second)
    default:
      return second ? 101 : 100
  }
}

const samplesOf = (fields: FieldList, second: boolean): Record<string, unknown> =>
  Object.fromEntries(fields.map(({ name, field }) => [name, sampleOf(field.spec, second)]))

/** The fields that move from tick to tick. */
const moving = (fields: FieldList): FieldList => fields.filter(({ field }) => moves(field.spec))

const moves = (spec: FieldSpec): boolean => {
  switch (spec.kind) {
    case "struct":
      return spec.fields.some(({ spec: field }) => moves(field))
    case "optional":
      return moves(spec.of)
    default:
      return ["f32", "f64", "quantised"].includes(spec.kind)
  }
}

/**
 * Each collection holds as many records as a room has players. In one patch all fractional numbers of
 * all records change; where there are none, one record of each kind changes as a whole. Source: C-263.
 */
export const gameSizes = (schema: AnyRoomSchema): GameSizes => {
  const room = makeRoomState(schema)
  const singletons = schema.singletons.list.map(({ name, fields }) => ({
    fields,
    rows: [Reflect.get(room.state, name)]
  }))
  const collections = schema.collections.list.map(({ name, fields }) => {
    const collection: unknown = Reflect.get(room.state, name)
    const rows = Array.from({ length: schema.maxClients }, () =>
      collection instanceof RoomCollection ? collection.add(samplesOf(fields, false)) : {}
    )
    return { fields, rows }
  })
  const shapes = [...singletons, ...collections]
  for (const { fields, rows } of singletons) {
    for (const row of rows) Object.assign(row, samplesOf(fields, false))
  }
  room.encodeDelta()
  const stateBytes = room.encodeSnapshot().length
  const anythingMoves = shapes.some(({ fields }) => moving(fields).length > 0)
  for (const { fields, rows } of shapes) {
    const changed = anythingMoves ? moving(fields) : fields
    for (const row of anythingMoves ? rows : rows.slice(0, 1)) {
      Object.assign(row, samplesOf(changed, true))
    }
  }
  const delta = room.encodeDelta()?.length ?? 0
  return { stateBytes, patchBytes: delta + frameBytes.patch, upBytes: upBytes(schema) }
}

const upBytes = (schema: AnyRoomSchema): number => {
  const records = [
    ...schema.messages.list.map(({ fields }) => fields),
    ...schema.rpc.client.list.map(({ args }) => args)
  ].filter((fields) => fields !== null)
  const sizes = records.map((fields) => packRecord(fields, samplesOf(fields, true), "up").length)
  return Math.max(0, ...sizes) + frameBytes.message
}
