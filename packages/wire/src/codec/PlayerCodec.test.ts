import fc from "fast-check"
import { unpack } from "msgpackr"
import { describe, expect, test } from "vitest"

import { unpackValue } from "../msgpack/MsgpackReader.ts"
import { defineSchema, type FieldList, type Fields, s } from "../schema.ts"
import { SchemaLimits } from "../schema/SchemaLimits.ts"
import { arbitraryFields, recordValue } from "../schema/testing/ArbitrarySchema.ts"
import { playerBytesMax } from "../schema/ValueSize.ts"
import { CodecError } from "./CodecError.ts"
import { migratePlayer, otherFields, packPlayer, unpackPlayer } from "./PlayerCodec.ts"

const entries = (count: number) =>
  new Map(Array.from({ length: count }, (_, at) => [65_535 - at, 255]))

/** The bytes that the schema counts. */
const bytesMax = (fields: FieldList): number =>
  playerBytesMax(fields.map(({ name, field }) => ({ name, spec: field.spec })))

const fieldsOf = (player: Fields) => defineSchema({ type: "t", player }).player

const playerFields = arbitraryFields(false)
  .map((fields) => {
    try {
      return fieldsOf(fields)
    } catch {
      // Past the 4 KB: of no interest here.
      return fieldsOf({})
    }
  })
  .chain((fields) => recordValue(fields).map((record) => ({ fields, record })))

describe("packPlayer", () => {
  test("[D-24] unpacks what it packs, within the bytes that the schema counted", () => {
    fc.assert(
      fc.property(playerFields, ({ fields, record }) => {
        const bytes = packPlayer(fields, record)
        const back = unpackPlayer(fields, bytes)
        expect(packPlayer(fields, back)).toEqual(bytes)
        expect(bytes.length).toBeLessThanOrEqual(bytesMax(fields))
      }),
      { numRuns: 300 }
    )
  })

  test("[D-24] the bytes are msgpack that others read", () => {
    const player = {
      wins: 70_000,
      loss: -200,
      small: -3,
      rate: 0.5,
      exact: 0.1,
      speed: 0.3,
      name: "Zoë",
      long: "x".repeat(300),
      team: "blue",
      done: true,
      list: [1, 2, 300],
      raw: Uint8Array.of(1, 2)
    }
    const fields = fieldsOf({
      wins: s.u32(),
      loss: s.i16(),
      small: s.i8(),
      rate: s.f32(),
      exact: s.f64(),
      speed: s.quantised({ min: 0, max: 1, step: 0.1 }),
      name: s.string(32),
      long: s.string(400),
      team: s.enum("red", "blue"),
      done: s.bool(),
      list: s.list(s.u16(), 4),
      raw: s.bytes(4)
    })
    expect(unpack(packPlayer(fields, player))).toEqual(player)
    expect(unpackPlayer(fields, packPlayer(fields, player))).toEqual(player)
  })

  test.each([
    [{ i: s.i32() }, { i: -0x8000_0000 }, 2 + 1 + 5],
    [{ i: s.u32() }, { i: 0xffff_ffff }, 2 + 1 + 5],
    [{ i: s.i16() }, { i: -0x8000 }, 2 + 1 + 3],
    [{ i: s.u8() }, { i: 255 }, 2 + 1 + 2],
    [{ f: s.f32() }, { f: 0.5 }, 2 + 1 + 9],
    [{ t: s.string(255) }, { t: "x".repeat(255) }, 2 + 1 + 2 + 255],
    [{ t: s.string(31) }, { t: "x".repeat(31) }, 2 + 1 + 1 + 31],
    [{ b: s.bytes(256) }, { b: new Uint8Array(256) }, 2 + 1 + 3 + 256],
    [{ l: s.list(s.f64(), 16) }, { l: Array.from({ length: 16 }, () => 0.1) }, 2 + 1 + 3 + 144],
    [{ e: s.enum("a", "long") }, { e: "long" }, 2 + 1 + 5],
    [
      { s: s.struct({ x: s.u8(), yy: s.f64() }) },
      { s: { x: 255, yy: 0.1 } },
      3 + 1 + 2 + 2 + 3 + 9
    ],
    [{ m: s.map(s.u16(), s.u8(), 16) }, { m: entries(16) }, 3 + 3 + 16 * (1 + 3 + 2)],
    [{ o: s.optional(s.u16()) }, { o: 65_535 }, 3 + 3]
  ])(
    "[D-24] the largest value of %o takes just the bytes that are counted",
    (shape, value, bytes) => {
      const fields = fieldsOf(shape)
      expect(packPlayer(fields, value).length).toBe(bytes)
      expect(bytesMax(fields)).toBe(bytes)
    }
  )

  test("[D-24] fields go by name across schemas: what is gone, new or of another kind has its default", () => {
    const old = fieldsOf({ wins: s.u32(), gone: s.string(8), name: s.string(8) })
    const next = fieldsOf({
      name: s.u8({ default: 4 }),
      wins: s.u16(),
      fresh: s.bool({ default: true })
    })
    const bytes = packPlayer(old, { wins: 12, gone: "x", name: "y" })
    expect(unpackPlayer(next, bytes)).toEqual({ name: 4, wins: 12, fresh: true })
  })

  test("[C-665] fields of any kind are kept, as msgpack that others read", () => {
    const fields = fieldsOf({
      bag: s.map(s.string(8), s.struct({ count: s.u8(), mark: s.optional(s.u8()) }), 4),
      at: s.optional(s.struct({ x: s.f32() })),
      cells: s.list(s.list(s.u8(), 2), 2)
    })
    const bytes = packPlayer(fields, {
      bag: new Map([["b", { count: 1 }]]).set("a", { count: 2 }),
      cells: [[1], [2, 3]]
    })
    expect(unpack(bytes)).toEqual({
      bag: [
        ["b", { count: 1 }],
        ["a", { count: 2 }]
      ],
      cells: [[1], [2, 3]]
    })
    const back = unpackPlayer(fields, bytes)
    expect([...Object(back["bag"])]).toEqual([
      ["b", { count: 1 }],
      ["a", { count: 2 }]
    ])
    expect([back["at"], back["cells"]]).toEqual([undefined, [[1], [2, 3]]])
  })

  test("[C-665] of a struct another version may have more fields or fewer", () => {
    const struct = (fields: Fields) => fieldsOf({ bag: s.list(s.struct(fields), 4) })
    const old = struct({ count: s.u8(), gone: s.u8() })
    const next = struct({ fresh: s.u8({ default: 5 }), count: s.u8() })
    const bytes = packPlayer(old, { bag: [{ count: 1, gone: 2 }] })
    expect(unpackPlayer(next, bytes)).toEqual({ bag: [{ fresh: 5, count: 1 }] })
    expect(unpackPlayer(struct({ count: s.string(4) }), bytes)).toEqual({ bag: [] })
  })

  test("[C-59] writes back the fields of a player that the schema does not declare", () => {
    const arena = fieldsOf({ wins: s.u32() })
    const newer = fieldsOf({ coins: s.u16({ default: 5 }), wins: s.u32(), title: s.string(8) })
    const stored = packPlayer(newer, { coins: 9, wins: 1, title: "Dr" })
    const others = otherFields(arena, stored)
    expect(others).toEqual({ coins: 9, title: "Dr" })
    const written = packPlayer(arena, { wins: 2 }, others)
    expect(unpackPlayer(newer, written)).toEqual({ coins: 9, wins: 2, title: "Dr" })
    expect(otherFields(newer, written)).toEqual({})
    expect(otherFields(newer, null)).toEqual({})
  })

  test("[C-684] writes back values that the schema does not hold, so that nothing is lost by a rollback", () => {
    const old = fieldsOf({
      team: s.enum("red", "blue"),
      best: s.u8({ default: 7 }),
      rate: s.f32(),
      cards: s.list(s.u8(), 2)
    })
    const newer = fieldsOf({
      team: s.enum("red", "blue", "green"),
      best: s.u16(),
      rate: s.f64(),
      cards: s.list(s.u8(), 3)
    })
    const player = { team: "green", best: 300, rate: 0.1, cards: [1, 2, 3] }
    const stored = packPlayer(newer, player)
    expect(otherFields(old, stored)).toEqual(player)
    // The room's code sees what its fields can hold.
    const read = unpackPlayer(old, stored)
    expect(read).toEqual({ team: "red", best: 7, rate: Math.fround(0.1), cards: [] })
    expect(unpackPlayer(newer, packPlayer(old, read, otherFields(old, stored)))).toEqual(player)
    expect(otherFields(newer, packPlayer(old, read))).toEqual({})
  })

  test("[C-59] leaves undeclared fields out at one byte past 4 KB", () => {
    const max = SchemaLimits.playerFieldsBytes.max
    const fields = fieldsOf({ name: s.string(1000) })
    const value = { name: "x".repeat(1000) }
    const own = packPlayer(fields, value).length
    // The other field's name, and the head of its text.
    const left = max - own - 2 - 3
    const fits = packPlayer(fields, value, { o: "y".repeat(left) })
    expect(fits).toHaveLength(max)
    expect(packPlayer(fields, value, { o: "y".repeat(left + 1) })).toHaveLength(own)
  })

  test("[D-24] a player of whom nothing is stored has the defaults", () => {
    expect(unpackPlayer(fieldsOf({ wins: s.u32({ default: 3 }) }), null)).toEqual({ wins: 3 })
  })

  test("[error.app-data-never-trimmed] a value that does not fit is refused by name", () => {
    const fields = fieldsOf({ wins: s.u8() })
    expect(() => packPlayer(fields, { wins: 256 })).toThrow("player.wins: 256 is outside 0 to 255")
    expect(() => packPlayer(fields, { loss: 1 })).toThrow("player.loss: there is no such field")
    const nested = fieldsOf({ bag: s.list(s.struct({ count: s.u8() }), 2) })
    expect(() => packPlayer(nested, { bag: [{ count: 256 }] })).toThrow("player.bag[0].count: 256")
  })

  test("[D-24] any bytes are a player or a CodecError", () => {
    fc.assert(
      fc.property(playerFields, fc.uint8Array({ maxLength: 60 }), ({ fields, record }, bytes) => {
        const good = packPlayer(fields, record)
        for (const input of [bytes, good.slice(0, -1), Uint8Array.of(...good, ...bytes)]) {
          try {
            const player = unpackPlayer(fields, input)
            for (const { name, field } of fields) expect(field.check(player[name])).toBeNull()
          } catch (fault) {
            expect(fault).toBeInstanceOf(CodecError)
          }
        }
      }),
      { numRuns: 300 }
    )
  })
})

describe("a change of a player's fields by code", () => {
  const [from, to] = [
    fieldsOf({ wins: s.u8(), name: s.string(8) }),
    fieldsOf({ score: s.u16(), name: s.string(8), league: s.enum("wood", "gold") })
  ]
  const stored = packPlayer(from, { wins: 7, name: "ann" }, { other: 5 })
  const led = (change: (old: Readonly<Record<string, unknown>>) => unknown, bytes = stored) =>
    migratePlayer(bytes, { from, to, change })
  const good = ({ wins, name }: Readonly<Record<string, unknown>>) => ({
    score: Number(wins) * 10,
    name,
    league: "wood"
  })

  test("[C-707] keeps what neither side declares, and no field that is gone", () => {
    // A default that was not stored is not stored: a later version may have another one.
    expect(unpackValue(led(good))).toEqual({ other: 5, score: 70, name: "ann" })
    expect(unpackValue(led((old) => ({ ...good(old), score: 0, name: "" })))).toEqual({
      other: 5,
      name: ""
    })
  })

  test("[C-707] sees defaults where nothing is stored or nothing fits, and cannot change what it sees", () => {
    const seen: Array<unknown> = []
    const odd = packPlayer(fieldsOf({ wins: s.string(4) }), { wins: "many" })
    const see = (old: Readonly<Record<string, unknown>>) => {
      seen.push(old, Object.isFrozen(old))
      return good(old)
    }
    led(see, odd)
    expect(seen).toEqual([{ wins: 0, name: "" }, true])
  })

  test.each<[what: string, made: unknown, fault: string]>([
    ["nothing", null, "player: must be an object"],
    ["a missing field", { score: 1, name: "" }, "player.league: is missing"],
    ["another kind", { score: "1", name: "", league: "wood" }, "player.score: "],
    [
      "a field that is gone",
      { score: 1, name: "", league: "wood", wins: 1 },
      "player.wins: there is no"
    ]
  ])("[C-707] that gives %s is refused, and names it", (_, made, fault) => {
    expect(() => led(() => made)).toThrow(fault)
  })

  test("[C-707] [limits.player-fields.bytes] takes 4 KB and no byte more", () => {
    const { max } = SchemaLimits.playerFieldsBytes
    const filled = (bytes: number) =>
      packPlayer(from, { wins: 1, name: "ann" }, { other: "y".repeat(bytes) })
    const own = led(good, filled(1000)).length - 1000
    expect(led(good, filled(max - own))).toHaveLength(max)
    expect(() => led(good, filled(max - own + 1))).toThrow(CodecError)
  })
})
