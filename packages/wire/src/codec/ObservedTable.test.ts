import fc from "fast-check"
import { expect, test } from "vitest"

import { defineSchema, s, type AnyRoomSchema } from "../schema.ts"
import { arbitrarySchema } from "../schema/testing/ArbitrarySchema.ts"
import { ObservedTable } from "./ObservedTable.ts"
import { makeRoomState } from "./RoomState.ts"
import type { Row } from "./Row.ts"
import { makeStateView } from "./StateView.ts"
import { historyOf, takeStep } from "./testing/History.ts"

const schemaAndHistory = arbitrarySchema.chain((schema) =>
  historyOf(schema).map((history) => ({ schema, history }))
)

/** A view whose tables are all observed. */
const observedView = (schema: AnyRoomSchema) => {
  const tables = new Map<string, ObservedTable>()
  const view = makeStateView(schema, (shape) => {
    const table = new ObservedTable(shape)
    tables.set(shape.name, table)
    return table
  })
  for (const table of tables.values()) table.observe()
  return { view, tables }
}

/** Each record with its values as JSON. */
const valuesOf = ({ shape, rows }: ObservedTable) =>
  new Map(
    [...rows.values()].map((row): [Row, ReadonlyMap<string, string | undefined>] => [
      row,
      new Map(shape.fields.map(({ name }) => [name, JSON.stringify(Reflect.get(row, name))]))
    ])
  )

/** The difference, by comparing everything. */
const difference = (
  before: ReturnType<typeof valuesOf>,
  after: ReturnType<typeof valuesOf>
): ReadonlyMap<Row, ReadonlyArray<string>> =>
  new Map(
    [...after].flatMap(([row, values]) => {
      const was = before.get(row)
      const fields = [...values.keys()].filter((name) => values.get(name) !== was?.get(name))
      return was === undefined || fields.length === 0 ? [] : [[row, fields] as const]
    })
  )

test("[C-960] the notes are the difference between two moments, whether deltas or full states lie between", () => {
  let changes = 0
  const full = { kind: "full" } as const
  fc.assert(
    fc.property(schemaAndHistory, fc.array(fc.boolean()), ({ schema, history }, whole) => {
      const room = makeRoomState<AnyRoomSchema>(schema)
      const { view, tables } = observedView(schema)
      let known = new Map([...tables].map(([name, table]) => [name, valuesOf(table)]))
      let flushes = 0
      for (const step of [...history, { kind: "flush" } as const, full]) {
        if (step.kind !== "flush" && step.kind !== "full") {
          takeStep(room, step)
          continue
        }
        const delta = room.encodeDelta()
        const isWhole = step.kind === "full" || whole[flushes] === true
        flushes += 1
        if (isWhole) view.applyFull(room.encodeFull())
        else if (delta !== null) view.applyDelta(delta)
        for (const [name, table] of tables) {
          const before = known.get(name) ?? new Map<Row, never>()
          const after = valuesOf(table)
          const taken = table.take()
          const { removed = [], added = [], changed = new Map<Row, Set<string>>() } = taken ?? {}
          expect([...removed].map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
            [...before.keys()].filter((row) => !after.has(row)).map(({ id }) => id)
          )
          expect(new Set(added)).toEqual(
            new Set([...after.keys()].filter((row) => !before.has(row)))
          )
          for (const [row, fields] of difference(before, after)) {
            changes += 1
            expect([...(changed.get(row) ?? [])]).toEqual(expect.arrayContaining([...fields]))
          }
          // A delta says of a value with parts that it changed, also when it changed back.
          if (isWhole) expect(changed.size).toBe(difference(before, after).size)
          for (const row of changed.keys()) expect(before.has(row) && after.has(row)).toBe(true)
        }
        known = new Map([...tables].map(([name, table]) => [name, valuesOf(table)]))
      }
    }),
    { numRuns: 60 }
  )
  expect(changes).toBeGreaterThan(100)
})

const small = defineSchema({
  type: "small",
  entities: { units: { hp: s.u8(), at: s.struct({ x: s.u8(), y: s.u8() }) } }
})

test("[C-960] a record that half a delta added, and a full state took away again, is not in the notes", () => {
  const room = makeRoomState(small)
  const { view, tables } = observedView(small)
  const welcome = room.encodeFull()
  room.state.units.add({ hp: 1 })
  const delta = room.encodeDelta() ?? new Uint8Array(0)
  expect(() => view.applyDelta(Uint8Array.of(...delta, 9))).toThrow(/section 9/)
  view.applyFull(welcome)
  expect(tables.get("units")?.take()).toBeNull()
})

test("[C-960] [C-662] a full state keeps every value that did not change, with the objects within", () => {
  const room = makeRoomState(small)
  const { view, tables } = observedView(small)
  const full = (): Uint8Array => {
    room.encodeDelta()
    return room.encodeFull()
  }
  const unit = room.state.units.add({ at: { x: 1, y: 2 } })
  view.applyFull(full())
  tables.get("units")?.take()
  const { at } = Object(tables.get("units")?.rows.get(1))
  unit.hp = 5
  view.applyFull(full())
  const seen = tables.get("units")?.rows.get(1)
  expect(Object(seen).at).toBe(at)
  expect([...(tables.get("units")?.take()?.changed ?? [])]).toEqual([[seen, new Set(["hp"])]])
})

test("[C-960] a delta that says again what is there names no field; nobody observes, nothing is noted", () => {
  const room = makeRoomState(small)
  const { view, tables } = observedView(small)
  const unit = room.state.units.add({ hp: 1 })
  view.applyDelta(room.encodeDelta() ?? new Uint8Array(0))
  const units = tables.get("units")
  expect(units?.take()?.added.size).toBe(1)
  unit.hp = 2
  unit.hp = 1
  view.applyDelta(room.encodeDelta() ?? new Uint8Array(0))
  expect(units?.take()).toBeNull()
  units?.unobserve()
  unit.hp = 3
  view.applyDelta(room.encodeDelta() ?? new Uint8Array(0))
  units?.observe()
  expect(units?.take()).toBeNull()
})
