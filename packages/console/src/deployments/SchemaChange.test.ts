import { defineSchema, describe as describeSchema, s, schemaHash } from "@atrium/sdk/schema"
import { expect, it } from "vitest"

import { changeText, schemaChanges } from "./SchemaChange.ts"

const stored = (schema: Parameters<typeof describeSchema>[0]) => ({
  type: schema.type,
  hash: schemaHash(schema),
  schema: JSON.parse(JSON.stringify(describeSchema(schema)))
})
const one = (coins: ReturnType<typeof s.u8>, type = "arena") =>
  stored(defineSchema({ type, singletons: { pot: { coins } } }))

it("[C-779] tells of each room type the first difference that stored state cannot bridge", () => {
  const lobby = stored(defineSchema({ type: "lobby" }))
  const wider = stored(
    defineSchema({ type: "hall", singletons: { pot: { coins: s.u8(), more: s.u8() } } })
  )
  const text = stored(defineSchema({ type: "arena", singletons: { pot: { coins: s.string(4) } } }))
  const changes = schemaChanges(
    [one(s.u8()), one(s.u8(), "hall"), one(s.u8(), "gone"), one(s.u8(), "same")],
    [text, wider, lobby, one(s.u8(), "same")]
  )
  expect(changes.map(({ type, kind }) => [type, kind])).toEqual([
    ["arena", "breaking"],
    ["hall", "wider"],
    ["lobby", "new"],
    ["same", "same"],
    ["gone", "gone"]
  ])
  expect(changes.map(changeText)[0]).toMatch(/pot\.coins was .* and is /)
})

it("[C-779] reports a descriptor that it cannot read as a breaking change, and does not throw", () => {
  const strange = { type: "arena", hash: "x", schema: { future: true } }
  const [change] = schemaChanges([one(s.u8())], [strange])
  expect(change).toMatchObject({ kind: "breaking" })
  expect(change?.difference).toMatch(/^this page cannot read the schema: /)
})
