import { defineSchema, describe as describeSchema, s } from "@atrium/sdk/schema"
import { describe, expect, it } from "vitest"

import { firstText, inputOf, untypedOf, valueOf } from "./TypedFields.ts"

const [message] = describeSchema(
  defineSchema({
    type: "arena",
    messages: {
      everything: {
        flag: s.bool(),
        side: s.enum("left", "right"),
        near: s.quantised({ min: 5, max: 9, step: 1 }),
        name: s.string(10, { default: "ann" }),
        raw: s.bytes(4),
        list: s.list(s.u8(), 3),
        map: s.map(s.string(4), s.u8(), 3),
        maybe: s.optional(s.u8()),
        pair: s.struct({ x: s.u8(), y: s.optional(s.bytes(2)) })
      }
    }
  })
).messages
const fields = new Map(message?.fields?.map((field) => [field.name, field]))
const fieldOf = (name: string) => fields.get(name) ?? { name, kind: "?" }

describe("a form made from a schema", () => {
  it.each([
    ["flag", "Flag", "false", false],
    ["side", "Choice", "left", "left"],
    ["near", "Number", "5", 5],
    ["name", "Text", "ann", "ann"],
    ["raw", "Bytes", "", new Uint8Array()],
    ["list", "Json", "[]", []],
    ["map", "Json", "[]", new Map()],
    ["maybe", "Json", "null", undefined]
  ] as const)("[C-806] %s is a %s that begins as %j", (...[name, tag, text, value]) => {
    const field = fieldOf(name)
    expect([inputOf(field)._tag, firstText(field)]).toEqual([tag, text])
    expect(valueOf(field, text)).toEqual(value)
  })

  it("[C-806] reads what is typed", () => {
    expect(valueOf(fieldOf("flag"), "true")).toBe(true)
    expect(valueOf(fieldOf("near"), "7")).toBe(7)
    expect(valueOf(fieldOf("near"), " ")).toBe(Number.NaN)
    expect(valueOf(fieldOf("raw"), "0a FF")).toEqual(Uint8Array.of(10, 255))
    expect(valueOf(fieldOf("map"), '[["a",1]]')).toEqual(new Map([["a", 1]]))
    expect(valueOf(fieldOf("pair"), '{"x":1,"y":"0102"}')).toEqual({
      x: 1,
      y: Uint8Array.of(1, 2)
    })
    expect(untypedOf('{"a":1}')).toEqual({ a: 1 })
    expect(untypedOf("")).toBe(null)
  })

  it("[C-806] names the field that it cannot read", () => {
    expect(() => valueOf(fieldOf("raw"), "0")).toThrow("raw: must be hexadecimal")
    expect(() => valueOf(fieldOf("list"), "[1,")).toThrow("list: must be JSON")
  })
})
