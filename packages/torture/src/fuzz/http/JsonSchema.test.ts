import { expect, test } from "vitest"

import { type Json, type JsonSchema, mayPass, placesIn, sampleOf, withAt } from "./JsonSchema.ts"

const named = { Name: { type: "string", minLength: 1, maxLength: 3 } }
const count: JsonSchema = { type: "integer", minimum: 2, maximum: 4 }
const thing: JsonSchema = {
  type: "object",
  properties: {
    name: { $ref: "#/components/schemas/Name" },
    count,
    kind: { type: "string", enum: ["a", "b"] },
    until: { anyOf: [{ type: "string", pattern: "^[0-9]+m$" }, { type: "null" }] },
    list: { type: "array", minItems: 1, items: count },
    map: {
      type: "object",
      additionalProperties: { type: "boolean" },
      propertyNames: { pattern: "^[a-z]+$", type: "string" }
    }
  },
  required: ["name"],
  additionalProperties: false
}
const right = { name: "abc", count: 3, kind: "a", until: "10m", list: [2, 4], map: { one: true } }

test.each<[Json, boolean]>([
  [right, true],
  [{ ...right, name: "abcd" }, false],
  [{ ...right, name: "\u{1f600}\u{1f600}\u{1f600}" }, true],
  [{ ...right, more: 1 }, false],
  [{ count: 3 }, false],
  [JSON.parse('{"name":"a","__proto__":1}'), false]
])("[D-02] %j passes: %j", (value, passes) => {
  expect(mayPass(thing, value, named)).toBe(passes)
})

test("[D-02] a sample has every field, passes, and holds what is hinted", () => {
  const sample = sampleOf(thing, { named, hints: { until: "5m", name: "far too long" } })
  expect(sample).toEqual({
    name: "x",
    count: 2,
    kind: "a",
    until: "5m",
    list: [2],
    map: { one: true }
  })
  expect(mayPass(thing, sample, named)).toBe(true)
})

test("[D-02] every place is found, and each alone can be spoilt", () => {
  const paths = placesIn(thing, right, named).map(({ path }) => path.join("."))
  const inside = ["list.0", "list.1", "map.one"]
  expect(paths.toSorted()).toEqual(["", ...Object.keys(right), ...inside].toSorted())
  for (const { path } of placesIn(thing, right, named)) {
    const spoilt = withAt(right, path, [{}])
    expect(mayPass(thing, spoilt, named), path.join(".")).toBe(false)
    expect(withAt(spoilt, path, "back")).toEqual(withAt(right, path, "back"))
  }
})
