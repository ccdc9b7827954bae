import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { type AnyField, s } from "../schema.ts"
import { fieldValue, nestedField } from "../schema/testing/ArbitrarySchema.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { CodecError } from "./CodecError.ts"
import { readChange, writeWhole } from "./FieldChange.ts"
import { readStored, writeNormal, writeStored } from "./FieldCodec.ts"

const changed = (field: AnyField, before: unknown, bytes: ReadonlyArray<number>): unknown =>
  readChange(new ByteReader(Uint8Array.from(bytes)), field, field.toStored(before))

const pair = s.struct({ x: s.u8(), y: s.u8() })
const pairs = s.list(pair, 3)
const bag = s.map(s.u8(), pair, 2)
const many = 0x3f

test("[C-722] a whole value in a delta is that value, whatever there was before", () => {
  const any = nestedField(true, 4).chain((field) =>
    fc.tuple(fc.constant(field), fieldValue(field.spec), fieldValue(field.spec))
  )
  const written = (field: AnyField, value: unknown, write: typeof writeWhole): Uint8Array => {
    const writer = new ByteWriter()
    write(writer, field, value)
    return writer.finish()
  }
  fc.assert(
    fc.property(any, ([field, before, value]) => {
      const reader = new ByteReader(written(field, field.normal(value), writeWhole))
      const after = readChange(reader, field, field.toStored(before))
      reader.end()
      expect(written(field, after, writeNormal)).toEqual(
        written(field, field.normal(value), writeNormal)
      )
    }),
    { numRuns: 300 }
  )
})

describe("hostile changes", () => {
  test.each<[string, AnyField, unknown, ReadonlyArray<number>, string]>([
    ["a mask of no field", pair, {}, [0b100, 1], "a mask of more than 2 fields"],
    ["an unknown kind of change", pairs, [], [3], "3 where 2 is the most"],
    ["a list that is absent", pairs, [], [0], "no value to change"],
    ["items kept that are not there", pairs, [], [2, 1, 0, 0], "1 items kept of 0"],
    ["a change past those kept", pairs, [{}], [2, 1, 1, 1, 1, 5, 0], "a change of item 1 of 1"],
    ["changes past the bytes", pairs, [{}], [2, 1, 0xff, 0xff, 0x3f], "1 bytes expected"],
    [
      "items past the bound",
      pairs,
      [{}, {}, {}],
      [2, 3, 0, 1, 1, 1],
      "4 items where 3 are the most"
    ],
    ["items past the bytes", pairs, [], [1, 3, 1], "3 items in 1 bytes"],
    ["a removal of no entry", bag, [], [2, 1, 7, 0], "no entry 7"],
    ["a change of no entry", bag, [], [2, 1, 7, 2, 1, 1], "no entry 7"],
    ["an entry too many", bag, [], [2, 3, 1, 1, 0, 0, 2, 1, 0, 0, 3, 1, 0, 0], "3 items where 2"],
    ["entries past the bytes", bag, [], [2, 0xff, 0xff, many], "1 bytes expected"],
    ["a key twice", bag, [], [1, 2, 5, 0, 0, 5, 0, 0], "the key 5 is there twice"],
    ["a change of what is absent", s.optional(pair), undefined, [2, 1, 1], "no value to change"],
    ["an optional neither there nor absent", s.optional(s.u8()), undefined, [2, 1], "2 where 1 is"]
  ])("[C-663] %s is a CodecError at once", (...[, field, before, bytes, message]) => {
    expect(() => changed(field, before, bytes)).toThrow(CodecError)
    expect(() => changed(field, before, bytes)).toThrow(message)
  })

  test("[C-663] any bytes are a value that fits or a CodecError, and make no more than they paid for", () => {
    const hostile = nestedField(true, 4).chain((field) =>
      fc.record({
        field: fc.constant(field),
        value: fieldValue(field.spec),
        noise: fc.uint8Array({ maxLength: 40 }),
        at: fc.nat()
      })
    )
    let read = 0
    fc.assert(
      fc.property(hostile, ({ field, value, noise, at }) => {
        const before = field.toStored(value)
        const writer = new ByteWriter()
        writeStored(writer, field, before)
        const whole = writer.finish()
        const bent = whole.slice()
        if (bent.length > 0) bent[at % bent.length] = noise[0] ?? 0
        for (const bytes of [noise, bent, Uint8Array.of(1, ...bent), Uint8Array.of(2, ...noise)]) {
          for (const reads of [readChange, readStored]) {
            try {
              const reader = new ByteReader(bytes)
              const after =
                reads === readStored ? readStored(reader, field) : readChange(reader, field, before)
              read += 1
              expect(field.check(after)).toBeNull()
              const paid = PartsPerByte * bytes.length
              expect(partsIn(after)).toBeLessThanOrEqual(partsIn(before) + paid)
            } catch (fault) {
              expect(fault).toBeInstanceOf(CodecError)
            }
          }
        }
      }),
      { numRuns: 300 }
    )
    expect(read).toBeGreaterThan(200)
  })
})

/** Objects, items and entries of a value: what memory it takes. */
const partsIn = (value: unknown): number => {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return 1
  const parts = Symbol.iterator in value ? [...Object(value)] : Object.values(value)
  return parts.reduce<number>((sum, part) => sum + partsIn(part), 1)
}

/** A byte makes one number at most, and the four structs that it may be in. */
const PartsPerByte = 5
