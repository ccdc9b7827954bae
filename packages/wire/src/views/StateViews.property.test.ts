import fc from "fast-check"
import { expect, test } from "vitest"

import type { Edit } from "../codec/testing/Edit.ts"
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
const card = s.struct({ word: text, more: s.list(text, 3) })
const marked = defineSchema({
  type: "marked",
  entities: {
    units: { owner: text, plan: text, at: card },
    hands: { cards: text, held: s.list(card, 4), bag: s.map(s.u8(), card, 4) },
    secrets: { word: text, next: s.optional(card), words: s.map(s.u8(), text, 4) }
  },
  singletons: {
    table: { open: text, closed: text, piles: s.map(s.u8(), s.list(card, 3), 4) },
    deck: { next: text, top: s.optional(card) }
  }
})

/** The same steps, every text of which is there once in all of them. */
const withMarkers = (history: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  let last = 0
  const marks = (value: unknown): unknown => {
    if (typeof value === "string") return `m${(last += 1)}.`
    if (Array.isArray(value)) return value.map(marks)
    if (value instanceof Map) return new Map([...value].map(([key, held]) => [key, marks(held)]))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, marks(held)]))
  }
  const edited = (edit: Edit): Edit => {
    if ("edit" in edit) return { ...edit, edit: edited(edit.edit) }
    if ("value" in edit) return { ...edit, value: marks(edit.value) }
    return edit.kind === "relist" ? { ...edit, more: edit.more.map(marks) } : edit
  }
  return history.map((step) => {
    if (step.kind === "edit") return { ...step, edit: edited(step.edit) }
    if (step.kind === "set") return { ...step, value: marks(step.value) }
    return step.kind === "add" ? { ...step, values: Object(marks(step.values)) } : step
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
