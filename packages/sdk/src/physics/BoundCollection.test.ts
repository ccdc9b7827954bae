import Rapier3 from "@dimforge/rapier3d-deterministic-compat"
import { expect, test } from "vitest"

import { BoundCollection } from "./BoundCollection.ts"
import { rapierOf } from "./Rapier.ts"

test("[C-861] logs the fault of an entity once, and forgets it with the entity", async () => {
  await Rapier3.init()
  const held = new Map<number, { readonly id: number }>()
  const entities = {
    get size() {
      return held.size
    },
    get: (id: number) => held.get(id),
    has: (id: number) => held.has(id),
    [Symbol.iterator]: () => held.values()
  }
  const lines: Array<string> = []
  const binding = {
    name: "units",
    fields: [],
    channels: [],
    body: () => {
      throw new Error("no body")
    },
    colliders: () => []
  }
  const world = new (rapierOf(Rapier3).World)({ x: 0, y: 0, z: 0 })
  const warn = (line: string) => void lines.push(line)
  const collection = new BoundCollection(binding, entities, {
    dimensions: 3,
    depth: 0,
    world,
    warn
  })
  const syncWith = (...ids: ReadonlyArray<number>) => {
    held.clear()
    for (const id of ids) held.set(id, { id })
    collection.sync()
  }
  syncWith(1)
  syncWith(1)
  expect(lines).toEqual(["units 1: no body"])
  // A room gives an id once. Here it comes back, and shows that nothing is kept of it.
  syncWith()
  syncWith(1)
  expect(lines).toEqual(["units 1: no body", "units 1: no body"])
})
