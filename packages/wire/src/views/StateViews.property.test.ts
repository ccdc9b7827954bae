import fc from "fast-check"
import { expect, test } from "vitest"

import type { Step } from "../codec/testing/History.ts"
import { defineSchema } from "../schema/DefineSchema.ts"
import { s } from "../schema/FieldKinds.ts"
import { arbitrarySchema } from "../schema/testing/ArbitrarySchema.ts"
import { scriptOf, ViewScene } from "./testing/ViewScene.ts"

test("[C-722] after each patch a client's state is the filtered state, whatever the rules and the history", () => {
  const sum = { deltas: 0, shared: 0 }
  fc.assert(
    fc.property(scriptOf(arbitrarySchema), (script) => {
      const scene = new ViewScene(script)
      scene.play()
      sum.deltas += scene.deltas
      sum.shared += scene.shared
    }),
    { numRuns: 30 }
  )
  // The scripts did something at all.
  expect([sum.deltas > 100, sum.shared > 10]).toEqual([true, true])
})

const text = s.string(16)
const marked = defineSchema({
  type: "marked",
  entities: { units: { owner: text, plan: text }, hands: { cards: text }, secrets: { word: text } },
  singletons: { table: { open: text, closed: text }, deck: { next: text } }
})

/** The same steps, every text of which is there once in all of them. */
const withMarkers = (history: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  let last = 0
  const marker = (): string => `m${(last += 1)}.`
  return history.map((step) => {
    if (step.kind === "set") return { ...step, value: marker() }
    if (step.kind !== "add") return step
    const values = Object.fromEntries(Object.keys(step.values).map((name) => [name, marker()]))
    return { ...step, values }
  })
}

test("[C-722] no byte that a client gets tells of what it does not see", () => {
  let markers = 0
  const sent = (bytes: Uint8Array, expected: () => string): void => {
    const seen = expected()
    for (const [marker] of Buffer.from(bytes)
      .toString("latin1")
      .matchAll(/m\d+\./g)) {
      markers += 1
      expect(seen).toContain(`"${marker}"`)
    }
  }
  fc.assert(
    fc.property(scriptOf(fc.constant(marked)), ({ history, ...script }) => {
      new ViewScene({ ...script, history: withMarkers(history) }, sent).play()
    }),
    { numRuns: 30 }
  )
  expect(markers).toBeGreaterThan(200)
})
