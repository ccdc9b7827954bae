import { type FieldSpec, IntegerRanges, type NamedSpec } from "./FieldSpec.ts"
import { stepsFit } from "./Quantise.ts"

/** The whole numbers that a kind holds, each of them. */
const WholeRanges: Readonly<Record<string, { readonly min: number; readonly max: number }>> = {
  ...IntegerRanges,
  f32: { min: -(2 ** 24), max: 2 ** 24 },
  f64: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }
}

/**
 * Tells whether a field takes every value of an older one as the very same value. Choices of an enum
 * may only be added at the end, as a choice travels as its place. Source: C-56.
 */
export const widens = (was: FieldSpec, is: FieldSpec): boolean => {
  switch (was.kind) {
    case "bool":
      return is.kind === was.kind
    case "string":
    case "bytes":
      return is.kind === was.kind && was.maxBytes <= is.maxBytes
    case "enum":
      return is.kind === was.kind && was.choices.every((choice, at) => choice === is.choices[at])
    case "ref":
      return is.kind === was.kind && was.collection === is.collection
    case "list":
      return is.kind === was.kind && was.maxLength <= is.maxLength && widens(was.of, is.of)
    case "map":
      return (
        is.kind === was.kind &&
        was.maxEntries <= is.maxEntries &&
        widens(was.key, is.key) &&
        widens(was.value, is.value)
      )
    case "optional":
      return is.kind === was.kind && widens(was.of, is.of)
    case "struct":
      return is.kind === was.kind && was.fields.every((field) => isIn(is.fields, field))
    case "quantised":
      return is.kind === was.kind ? stepsFit(was, is) : is.kind === "f64"
    case "f32":
    case "f64":
      return is.kind === was.kind || is.kind === "f64"
    default: {
      const { min, max } = IntegerRanges[was.kind]
      const range = WholeRanges[is.kind]
      return range !== undefined && range.min <= min && max <= range.max
    }
  }
}

const isIn = (fields: ReadonlyArray<NamedSpec>, was: NamedSpec): boolean =>
  fields.some((is) => is.name === was.name && widens(was.spec, is.spec))
