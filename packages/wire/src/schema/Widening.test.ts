import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { declaredPart } from "../codec/DeclaredPart.ts"
import { plainForm } from "../codec/PlainForm.ts"
import { makeField } from "./Field.ts"
import type { FieldSpec } from "./FieldSpec.ts"
import { stepsFit, stepsIn, stepValue } from "./Quantise.ts"
import { arbitraryField, fieldValue } from "./testing/ArbitrarySchema.ts"
import { widened } from "./testing/Widened.ts"
import { widens } from "./Widening.ts"
import { Wire } from "./Wire.ts"

/** A value as a field of this spec gives it back. */
const through = (spec: FieldSpec, value: unknown): unknown => {
  const field = makeField<unknown>(spec)
  return field.wire < Wire.string
    ? field.fromNumber(field.toNumber(value))
    : field.fromStored(field.toStored(value))
}

/** What the older field knows of a value, as it is: new fields of structs are left out. */
const knownPart = (was: FieldSpec, value: unknown): unknown =>
  plainForm(declaredPart(makeField<unknown>(was), value))

const fieldWithValue = arbitraryField(false).chain(({ spec }) =>
  fc.record({ was: fc.constant(spec), value: fieldValue(spec), by: fc.nat(20) })
)

describe("a field that takes more", () => {
  test("[C-56] holds every value of the older one as the very same value", () => {
    fc.assert(
      fc.property(fieldWithValue, ({ was, value, by }) => {
        const is = widened(was, by)
        expect(widens(was, is)).toBe(true)
        const old = through(was, value)
        expect(knownPart(was, through(is, old))).toEqual(plainForm(old))
        // What nothing was added to is taken back.
        expect(widens(was, was)).toBe(true)
      }),
      { numRuns: 150 }
    )
  })

  test("[C-56] two kinds that each take the other are the same to every reader", () => {
    fc.assert(
      fc.property(fieldWithValue, arbitraryField(false), ({ was, value }, { spec: is }) => {
        if (!widens(was, is)) return
        const old = through(was, value)
        expect(knownPart(was, through(is, old))).toEqual(plainForm(old))
        if (widens(is, was)) expect(makeField(is).wire).toBe(makeField(was).wire)
      }),
      { numRuns: 150 }
    )
  })
})

describe("the steps of a quantised field", () => {
  const range = fc.record({
    min: fc.integer({ min: -400, max: 400 }).map((quarters) => quarters / 4),
    steps: fc.integer({ min: 1, max: 300 }),
    step: fc.constantFrom(0.01, 0.1, 0.25, 0.3, 0.5, 1, 3),
    below: fc.nat(40),
    above: fc.nat(40),
    finer: fc.constantFrom(1, 2, 4, 5)
  })

  test("[C-56] fit another range only if each is one of its values, to the bit", () => {
    const seen = { fit: 0, misfit: 0 }
    fc.assert(
      fc.property(range, ({ min, steps, step, below, above, finer }) => {
        const was = { min, max: min + steps * step, step }
        const lower = min - below * step
        const is = { min: lower, max: was.max + above * step, step: step / finer }
        if (!stepsFit(was, is)) {
          seen.misfit += 1
          return
        }
        seen.fit += 1
        const field = makeField<number>({ kind: "quantised", ...is, default: is.min })
        const places = Array.from({ length: steps + 1 }, (_, place) => place)
        const values = places.map((place) => stepValue({ ...was, steps: stepsIn(was) }, place))
        const lost = values.find((value) => field.fromNumber(field.toNumber(value)) !== value)
        expect(lost).toBeUndefined()
      }),
      { numRuns: 1000 }
    )
    expect(Math.min(seen.fit, seen.misfit)).toBeGreaterThan(150)
  })

  test.each([
    ["the same", [0, 0.9, 0.1], [0, 0.9, 0.1], true],
    ["a higher end", [0, 10, 0.1], [0, 20, 0.1], true],
    ["a finer step", [0, 10, 0.1], [0, 10, 0.05], true],
    ["a step that is no part of the old one", [0, 10, 0.1], [0, 10, 0.0625], false],
    ["a coarser step", [0, 10, 0.5], [0, 10, 1], false],
    ["a lower end", [0, 10, 0.1], [0, 9, 0.1], false],
    ["a later begin", [0, 10, 0.5], [0.5, 10, 0.5], false],
    ["an earlier begin, steps of a half", [-500, 500, 0.5], [-1000, 1000, 0.5], true],
    ["an earlier begin by less than a step", [0, 10, 0.5], [-0.25, 9.75, 0.5], false],
    ["an earlier begin, steps that doubles round", [-5, 5, 0.1], [-10, 10, 0.1], false],
    ["four bytes a value", [-10_000, 10_000, 0.001], [-10_000, 40_000, 0.001], true],
    ["more than can be told without a look at each", [0, 2 ** 31, 0.5], [0, 2 ** 31, 0.25], false]
  ] as const)("[C-56] %s: %j in %j", (...row) => {
    const [, was, is, fits] = row
    const [one, other] = [was, is].map(([min, max, step]) => ({ min, max, step }))
    expect(one !== undefined && other !== undefined && stepsFit(one, other)).toBe(fits)
  })
})
