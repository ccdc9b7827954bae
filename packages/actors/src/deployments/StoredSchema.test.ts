import { roomTypeOf } from "@atrium/runtime/room/RoomTypes"
import { defineSchema, s, schemaHash } from "@atrium/wire/schema"
import { withHidden } from "@atrium/wire/schema/HiddenState"
import { Schema } from "effect"
import { expect, test } from "vitest"

import { DeployedType } from "./DeployedType.ts"
import { publicSchema, storedSchema, storesAlike } from "./StoredSchema.ts"

const open = defineSchema({ type: "cards", entities: { seats: { bid: s.u8() } } })
const stored = withHidden(open, { singletons: { deck: { next: s.u8() } } })
/** The row that PostgreSQL gives back: plain JSON, its keys in another order. */
const rowOf = (...schemas: Parameters<typeof roomTypeOf>): DeployedType =>
  Schema.decodeUnknownSync(DeployedType)(
    JSON.parse(JSON.stringify(roomTypeOf(...schemas)), (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toReversed())
        : value
    )
  )

test("[C-721] clients get the public schema, and what is stored is of the other one", () => {
  const deployed = rowOf(open, stored)
  expect(publicSchema(deployed).hash).toBe(schemaHash(open))
  expect(JSON.stringify(publicSchema(deployed).descriptor)).not.toContain("deck")
  expect(storedSchema(deployed).hash).toBe(schemaHash(stored))
  expect(storedSchema(deployed).descriptor.singletons).toEqual([
    { name: "deck", fields: [{ name: "next", kind: "u8" }] }
  ])
})

test("[C-721] without hidden state both are one", () => {
  const deployed = rowOf(open)
  expect("hidden" in deployed).toBe(false)
  expect(storedSchema(deployed)).toEqual(publicSchema(deployed))
})

test("[C-721] a row is proven once", () => {
  const deployed = rowOf(open, stored)
  for (const schema of [publicSchema, storedSchema]) {
    expect(schema(deployed).descriptor).toBe(schema(deployed).descriptor)
  }
})

const shuffled = defineSchema({
  type: "cards",
  maxClients: 3,
  singletons: { deck: { next: s.u8() } },
  entities: { seats: { bid: s.u8() } }
})

test.each<[isAlike: boolean, of: string, row: DeployedType]>([
  [true, "the same", rowOf(open, withHidden(open, { singletons: { deck: { next: s.u8() } } }))],
  [false, "less hidden state", rowOf(open)],
  [
    false,
    "more hidden state",
    rowOf(open, withHidden(open, { singletons: { deck: {}, shoe: {} } }))
  ],
  [false, "the same schema, with nothing of it hidden", rowOf(shuffled)]
])(
  "[C-721] a version reads stored state as it is: %s where the other version has %s",
  (isAlike, _, row) => {
    expect(storesAlike(rowOf(open, stored), row)).toBe(isAlike)
    expect(storesAlike(row, rowOf(open, stored))).toBe(isAlike)
  }
)

test("[C-721] a schema that shows what was hidden is the same in all but what clients know", () => {
  expect(storedSchema(rowOf(shuffled)).hash).toBe(storedSchema(rowOf(open, stored)).hash)
})
