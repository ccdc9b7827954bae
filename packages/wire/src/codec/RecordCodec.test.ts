import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { defineSchema, s } from "../schema.ts"
import { arbitrarySchema, recordValue } from "../schema/testing/ArbitrarySchema.ts"
import { CodecError } from "./CodecError.ts"
import { plainForm } from "./PlainForm.ts"
import { packRecord, unpackRecord } from "./RecordCodec.ts"

const fieldsOf = (fields: Parameters<typeof defineSchema>[0]["player"] & {}) => {
  const schema = defineSchema({ type: "t", entities: { c0: {} }, messages: { m: fields } })
  return schema.messages.list[0]?.fields ?? []
}

/** A schema's first collection, and a record of it. */
const fieldsAndRecord = arbitrarySchema.chain((schema) => {
  const fields = schema.collections.list[0]?.fields ?? []
  return recordValue(fields).map((record) => ({ fields, record }))
})

describe("packRecord", () => {
  test("[D-24] unpacks what it packs, and packs it to the same bytes again", () => {
    fc.assert(
      fc.property(fieldsAndRecord, ({ fields, record }) => {
        const bytes = packRecord(fields, record, "m")
        const back = unpackRecord(fields, bytes)
        for (const { name, field } of fields) {
          expect(plainForm(back[name])).toEqual(plainForm(field.normal(record[name])))
          expect(field.check(back[name])).toBeNull()
        }
        expect(packRecord(fields, back, "m")).toEqual(bytes)
      }),
      { numRuns: 100 }
    )
  })

  test("[D-24] the bytes of every kind", () => {
    const fields = fieldsOf({
      bool: s.bool(),
      i8: s.i8(),
      u16: s.u16(),
      i32: s.i32(),
      f32: s.f32(),
      f64: s.f64(),
      team: s.enum("red", "blue"),
      ref: s.ref("c0"),
      q8: s.quantised({ min: 0, max: 10, step: 0.1 }),
      q16: s.quantised({ min: -1, max: 1, step: 0.001 }),
      text: s.string(8),
      raw: s.bytes(4),
      list: s.list(s.u16(), 4),
      at: s.struct({ x: s.u8(), y: s.i8({ default: -1 }) }),
      none: s.optional(s.u8()),
      some: s.optional(s.struct({ x: s.u8() })),
      bag: s.map(s.string(4), s.u16()),
      cells: s.list(s.list(s.u8(), 2), 2)
    })
    const record = {
      bool: true,
      i8: -2,
      u16: 0x1234,
      i32: -1,
      f32: 1.5,
      f64: -2,
      team: "blue" as const,
      ref: 300,
      q8: 0.3,
      q16: 1,
      text: "é!",
      raw: Uint8Array.of(9, 8),
      list: [1, 2],
      at: { x: 5 } as { x: number; y: number },
      some: { x: 6 },
      bag: new Map([["b", 1]]).set("a", 2),
      cells: [[1, 2], []]
    }
    const bytes = packRecord(fields, record, "m")
    expect([...bytes]).toEqual(
      [
        [1],
        [0xfe],
        [0x34, 0x12],
        [0xff, 0xff, 0xff, 0xff],
        [0, 0, 0xc0, 0x3f],
        [0, 0, 0, 0, 0, 0, 0, 0xc0],
        [1],
        [0xac, 0x02],
        [3],
        [0xd0, 0x07],
        [3, 0xc3, 0xa9, 0x21],
        [2, 9, 8],
        [2, 1, 0, 2, 0],
        [5, 0xff],
        [0],
        [1, 6],
        [2, 1, 0x62, 1, 0, 1, 0x61, 2, 0],
        [2, 2, 1, 2, 0]
      ].flat()
    )
    const back = unpackRecord(fields, bytes)
    expect(back).toEqual({ ...record, at: { x: 5, y: -1 }, none: undefined })
    expect([...Object(back["bag"]).keys()]).toEqual(["b", "a"])
  })

  test("[C-662] structs and maps that were read belong to the reader, who may change them", () => {
    const fields = fieldsOf({ at: s.struct({ x: s.u8() }), bag: s.map(s.u8(), s.u8()) })
    const { at, bag } = unpackRecord(fields, packRecord(fields, { bag: [[1, 2]] }, "m"))
    Object.assign(Object(at), { x: 3 })
    Object(bag).set(4, 5)
    expect([at, bag]).toEqual([{ x: 3 }, new Map([[1, 2]]).set(4, 5)])
  })

  const chat = fieldsOf({
    text: s.string(4),
    size: s.u8({ default: 7 }),
    at: s.optional(s.struct({ x: s.u8() }))
  })

  test.each([
    [{ text: "12345" }, "chat.text: 5 bytes of UTF-8 are over 4"],
    [{ text: "ééé" }, "chat.text: 6 bytes of UTF-8 are over 4"],
    [{ text: "\ud800" }, 'chat.text: "\\ud800" holds half of a surrogate pair'],
    [{ text: 4 }, "chat.text: 4 is not a string"],
    [{ text: "", size: 256 }, "chat.size: 256 is outside 0 to 255 (u8)"],
    [{ text: "", size: 1.5 }, "chat.size: 1.5 is not a whole number (u8)"],
    [{ text: "", size: Number.NaN }, "chat.size: NaN is not finite (u8)"],
    [{ text: "", loud: true }, "chat.loud: there is no such field"],
    [{ text: "", at: { x: 256 } }, "chat.at.x: 256 is outside 0 to 255 (u8)"],
    [{ text: "", at: { z: 1 } }, "chat.at.z: there is no such field"],
    ["hello", "chat: must be an object"],
    [null, "chat: must be an object"],
    [["a"], "chat: must be an object"]
  ])("[error.app-data-never-trimmed] %j is refused by name", (value, message) => {
    expect(() => packRecord(chat, value, "chat")).toThrow(message)
  })

  test("[D-24] a field that is left out has its default; text at its bound fits", () => {
    const bytes = packRecord(chat, { text: "éé" }, "chat")
    expect(unpackRecord(chat, bytes)).toEqual({ text: "éé", size: 7 })
  })

  test("[D-24] a byte order mark is text like any other", () => {
    expect(unpackRecord(chat, packRecord(chat, { text: "\ufeff!" }, "chat"))).toEqual({
      text: "\ufeff!",
      size: 7
    })
  })

  test("[D-24] any bytes are a record or a CodecError", () => {
    fc.assert(
      fc.property(fieldsAndRecord, fc.uint8Array({ maxLength: 200 }), ({ fields }, bytes) => {
        try {
          const record = unpackRecord(fields, bytes)
          for (const { name, field } of fields) expect(field.check(record[name])).toBeNull()
        } catch (fault) {
          expect(fault).toBeInstanceOf(CodecError)
        }
      }),
      { numRuns: 200 }
    )
  })

  test.each([
    [[5, 1, 2], "5 bytes of text where 4 are the most at byte 1"],
    [[2, 0xff, 0xfe, 0], "text that is not UTF-8 at byte 3"],
    [[0], "1 bytes expected, 0 left at byte 1"],
    [[0, 1, 0, 2], "1 bytes too many at byte 3"],
    [[0x80, 0x00, 1], "a number with a zero too many at byte 2"],
    [[0xff, 0xff, 0xff, 0xff, 0x1f, 1], "a number over 32 bits at byte 5"]
  ])("[D-24] the bytes %j are refused with the place of the fault", (bytes, message) => {
    expect(() => unpackRecord(chat, Uint8Array.from(bytes))).toThrow(new CodecError(message))
  })

  test.each([
    [s.bool(), [2]],
    [s.enum("a", "b"), [2]],
    [s.quantised({ min: 0, max: 1, step: 0.1 }), [11]],
    [s.f32(), [0, 0, 0xc0, 0x7f]],
    [s.f64(), [0, 0, 0, 0, 0, 0, 0xf0, 0x7f]],
    [s.list(s.u8(), 3), [4, 0, 0, 0, 0]],
    [s.list(s.u8(), 9), [3, 0, 0]],
    [s.bytes(2), [3, 0, 0, 0]]
  ])("[D-24] a value that no field holds is refused (%#)", (field, bytes) => {
    expect(() => unpackRecord(fieldsOf({ field }), Uint8Array.from(bytes))).toThrow(CodecError)
  })
})
