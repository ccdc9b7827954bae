import { makeField } from "../Field.ts"
import type { FieldSpec, NamedSpec, PlainSpec } from "../FieldSpec.ts"
import { widens } from "../Widening.ts"

/** Kinds of numbers that hold each value of a kind, as the guide lists them. */
const wider = {
  u8: ["u16", "u32", "i16", "i32", "f32", "f64"],
  i8: ["i16", "i32", "f32", "f64"],
  u16: ["u32", "i32", "f32", "f64"],
  i16: ["i32", "f32", "f64"],
  u32: ["f64"],
  i32: ["f64"],
  f32: ["f64"],
  f64: ["f64"]
} as const

const chosen = <T>(list: readonly [T, ...T[]], by: number): T => list[by % list.length] ?? list[0]

/** The same default, as the narrower field rounds it: a wider one would round it less. */
const withRounded = (spec: PlainSpec): PlainSpec =>
  // A default has the type of its kind.
  ({ ...spec, default: makeField<unknown>(spec).default }) as PlainSpec

const widenedPlain = (given: PlainSpec, by: number): PlainSpec => {
  const spec = withRounded(given)
  switch (spec.kind) {
    case "bool":
    case "ref":
      return spec
    case "string":
    case "bytes":
      return { ...spec, maxBytes: spec.maxBytes + 1 + by }
    case "enum":
      return { ...spec, choices: [...spec.choices, `more ${spec.choices.length}`] }
    case "quantised": {
      const finer = { ...spec, step: spec.step / 2 }
      const further = { ...spec, max: spec.max + (1 + by) * spec.step }
      const both = { ...spec, min: spec.min - (1 + by) * spec.step, step: spec.step / 4 }
      const range = chosen([finer, further, both], by)
      // Steps of fractions such as 0.1 are not the same to the bit in every wider range.
      return widens(spec, range) ? range : { kind: "f64", default: spec.default }
    }
    default:
      return { ...spec, kind: chosen<keyof typeof wider>(wider[spec.kind], by) }
  }
}

/** The spec of a field that takes every value of this one, and mostly more; `by` chooses how. */
export const widened = (spec: FieldSpec, by: number): FieldSpec => {
  switch (spec.kind) {
    case "list":
      return by % 2 === 0
        ? { ...spec, maxLength: spec.maxLength + 1 + by }
        : { ...spec, of: widened(spec.of, by) }
    case "map":
      return {
        ...spec,
        key: widenedKey(spec.key, by),
        value: widened(spec.value, by),
        maxEntries: spec.maxEntries + (by % 2)
      }
    case "optional":
      return { ...spec, of: widened(spec.of, by) }
    case "struct":
      return { ...spec, fields: withMore(spec.fields, by) }
    default:
      return widenedPlain(spec, by)
  }
}

/** A key is no fraction. */
const widenedKey = (spec: FieldSpec, by: number): FieldSpec => {
  const is = widened(spec, by)
  return is.kind === "f32" || is.kind === "f64" ? spec : is
}

/** One of the fields takes more, and before it there is a new one. */
const withMore = (fields: ReadonlyArray<NamedSpec>, by: number): ReadonlyArray<NamedSpec> => {
  const at = by % fields.length
  const more = { name: `more${fields.length}`, spec: { kind: "u8", default: by } } as const
  return fields.flatMap((field, place) =>
    place === at ? [more, { name: field.name, spec: widened(field.spec, by) }] : [field]
  )
}
