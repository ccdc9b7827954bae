import fc from "fast-check"

import { defineSchema } from "../DefineSchema.ts"
import type { Fields } from "../Definition.ts"
import { type AnyField, makeField } from "../Field.ts"
import { s } from "../FieldKinds.ts"
import { IntegerRanges, type FieldSpec, type PlainSpec } from "../FieldSpec.ts"
import { stepsIn, stepValue } from "../Quantise.ts"
import type { AnyRoomSchema, FieldList } from "../RoomSchema.ts"

/** Any code point but half a pair. The unit "binary" of fast-check is the same, and builds a table for a second. */
const codePoint = fc
  .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0, max: 0x10ffff - 0x800 }))
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))

/** Any text that has a UTF-8. */
const text = (maxBytes: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: codePoint, maxLength: Math.min(maxBytes, 40) })
    .filter((value) => new TextEncoder().encode(value).length <= maxBytes)

const f32 = fc.float({ noNaN: true, noDefaultInfinity: true })
const f64 = fc.double({ noNaN: true, noDefaultInfinity: true })

/** Any value that fits a field. */
export const fieldValue = (spec: FieldSpec): fc.Arbitrary<unknown> => {
  switch (spec.kind) {
    case "bool":
      return fc.boolean()
    case "f32":
      return fc.oneof(f32, fc.double({ min: -1e30, max: 1e30, noNaN: true }))
    case "f64":
      return f64
    case "quantised":
      return fc.double({ min: spec.min, max: spec.max, noNaN: true })
    case "string":
      return text(spec.maxBytes)
    case "bytes":
      return fc.uint8Array({ maxLength: Math.min(spec.maxBytes, 40) })
    case "enum":
      return fc.constantFrom(...spec.choices)
    case "ref":
      return fc.nat({ max: 0xffff_ffff })
    case "list":
      return fc.array(fieldValue(spec.of), { maxLength: Math.min(spec.maxLength, 6) })
    case "struct":
      return structValue(spec)
    case "map":
      return fc
        .array(fc.tuple(keyValue(spec.key), fieldValue(spec.value)), {
          maxLength: Math.min(spec.maxEntries, 4)
        })
        .map((pairs) => new Map(pairs))
    case "optional":
      return fc.option(fieldValue(spec.of), { nil: undefined })
    default:
      return fc.integer(IntegerRanges[spec.kind])
  }
}

/** A struct of some of its fields: what is left out has its default. */
const structValue = ({ fields }: Extract<FieldSpec, { readonly kind: "struct" }>) =>
  fc.record(Object.fromEntries(fields.map(({ name, spec }) => [name, fieldValue(spec)])), {
    noNullPrototype: true,
    requiredKeys: []
  })

/** A key out of few, so that histories meet entries that are there. */
export const keyValue = (spec: FieldSpec): fc.Arbitrary<unknown> => {
  switch (spec.kind) {
    case "string":
      return fc.constantFrom("", "a", "\u00e9").filter((key) => key.length < spec.maxBytes)
    case "enum":
      return fc.constantFrom(...spec.choices)
    default:
      return fc.constantFrom(0, 1, 2, 100)
  }
}

/** Any record of all fields. */
export const recordValue = (fields: FieldList): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(fields.map(({ name, field }) => [name, fieldValue(field.spec)])), {
    noNullPrototype: true
  })

/** Any record of some fields. */
export const partialValue = (fields: FieldList): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(fields.map(({ name, field }) => [name, fieldValue(field.spec)])), {
    noNullPrototype: true,
    requiredKeys: []
  })

const quantised: fc.Arbitrary<PlainSpec> = fc
  .record({
    min: fc.integer({ min: -5000, max: 5000 }),
    steps: fc.oneof(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 60_000, max: 70_000 }),
      fc.constant(0xffff_ffff)
    ),
    step: fc.constantFrom(0.001, 0.01, 0.1, 0.25, 0.5, 1, 3)
  })
  .filter(({ min, steps, step }) => Number.isFinite(min + steps * step))
  .map(({ min, steps, step }) => {
    const range = { kind: "quantised", min, max: min + steps * step, step } as const
    return { ...range, default: stepValue({ ...range, steps: stepsIn(range) }, 0) }
  })

/** An item that may refer to a collection `c0`, when there is one. */
const itemSpec = (refs: boolean): fc.Arbitrary<PlainSpec> => {
  const bare: fc.Arbitrary<PlainSpec> = fc.oneof(
    fc.constant({ kind: "bool", default: false } as const),
    fc
      .constantFrom("u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64")
      .map((kind) => ({ kind, default: 0 }) as const),
    quantised,
    fc
      .integer({ min: 1, max: 200 })
      .map((maxBytes) => ({ kind: "string", maxBytes, default: "" }) as const),
    fc
      .integer({ min: 1, max: 200 })
      .map((maxBytes) => ({ kind: "bytes", maxBytes, default: new Uint8Array(0) }) as const),
    fc
      .uniqueArray(fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }), {
        minLength: 1,
        maxLength: 5
      })
      .map((choices) => ({ kind: "enum", choices, default: choices[0] ?? "" }) as const)
  )
  if (!refs) return bare
  return fc.oneof(bare, fc.constant({ kind: "ref", collection: "c0", default: 0 } as const))
}

/** Any field; its default is any value that fits. */
export const arbitraryField = (refs: boolean): fc.Arbitrary<AnyField> =>
  fc.oneof(
    { weight: 5, arbitrary: itemSpec(refs).chain(withDefault) },
    {
      weight: 1,
      arbitrary: fc
        .record({ of: itemSpec(refs), maxLength: fc.integer({ min: 1, max: 6 }) })
        .map(({ of, maxLength }) => s.list(makeField<unknown>(of), maxLength))
    },
    { weight: 2, arbitrary: nestedField(refs, 4) }
  )

const keySpec: fc.Arbitrary<PlainSpec> = fc.oneof(
  fc.constantFrom("u8", "i32").map((kind) => ({ kind, default: 0 }) as const),
  fc.constant({ kind: "string", maxBytes: 3, default: "" } as const),
  fc.constant({ kind: "enum", choices: ["x", "y", "z"], default: "x" } as const)
)

/** Any field that holds others, to a depth. */
export const nestedField = (refs: boolean, depth: number): fc.Arbitrary<AnyField> => {
  const leaf = itemSpec(refs).chain(withDefault)
  const part = depth === 1 ? leaf : fc.oneof(leaf, nestedField(refs, depth - 1))
  const few = fc.integer({ min: 1, max: 6 })
  const struct = fc
    .array(part, { minLength: 1, maxLength: depth === 4 ? 9 : 3 })
    .map((parts) => s.struct(Object.fromEntries(parts.map((each, at) => [`p${at}`, each]))))
  const held = part.filter(({ spec }) => spec.kind !== "optional")
  return fc.oneof(
    struct,
    fc.tuple(part, few).map(([of, maxLength]) => s.list(of, maxLength)),
    fc
      .tuple(keySpec, held, few)
      // Its kind is one of those that a key may have.
      .map(([key, value, max]) => s.map(makeField<string | number>(key), value, max)),
    held.map((of) => s.optional(of))
  )
}

const withDefault = (spec: PlainSpec): fc.Arbitrary<AnyField> => {
  if (spec.kind === "enum" || spec.kind === "ref") return fc.constant(makeField<unknown>(spec))
  return (
    fc
      .oneof(fc.constant(spec.default), fieldValue(spec))
      // The value was made for this very kind.
      .map((value) => makeField<unknown>({ ...spec, default: value } as PlainSpec))
  )
}

/** Any fields, `f0` and on; now and then more than fit one or four bytes of mask. */
export const arbitraryFields = (refs: boolean): fc.Arbitrary<Fields> =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.array(arbitraryField(refs), { maxLength: 10 }) },
      { weight: 1, arbitrary: fc.array(arbitraryField(refs), { minLength: 30, maxLength: 45 }) }
    )
    .map((fields) => Object.fromEntries(fields.map((field, place) => [`f${place}`, field])))

const named = <T>(prefix: string, shapes: ReadonlyArray<T>): Record<string, T> =>
  Object.fromEntries(shapes.map((shape, place) => [`${prefix}${place}`, shape]))

/** Any state layout. */
export const arbitrarySchema: fc.Arbitrary<AnyRoomSchema> = fc
  .record({
    entities: fc.array(arbitraryFields(true), { minLength: 1, maxLength: 3 }),
    singletons: fc.array(arbitraryFields(true), { maxLength: 3 }),
    messages: fc.array(fc.oneof(arbitraryFields(true), fc.constant(s.untyped())), { maxLength: 3 }),
    args: arbitraryFields(true),
    durable: fc.boolean()
  })
  .map(({ entities, singletons, messages, args, durable }) =>
    defineSchema({
      type: "any",
      entities: named("c", entities),
      singletons: named("s", singletons),
      messages: named("m", messages),
      rpc: { client: { call: { args, durable } }, server: { ask: { returns: args } } }
    })
  )
