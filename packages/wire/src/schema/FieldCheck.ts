import { utf8Length } from "../text/Utf8.ts"
import { problemAt } from "./FieldError.ts"
import { IntegerRanges, type FieldSpec, type MapSpec, type NamedSpec } from "./FieldSpec.ts"

const ShownCharsMax = 24

/** A value in an error text: short whatever it is, and without calling code of the value. */
export const show = (value: unknown): string => {
  if (typeof value === "string") {
    const cut = value.length > ShownCharsMax
    return JSON.stringify(cut ? `${value.slice(0, ShownCharsMax)}…` : value)
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return String(value)
  }
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`
}

const explainNumber = (kind: string, value: unknown): string | null => {
  if (typeof value !== "number") return `${show(value)} is not a number (${kind})`
  if (!Number.isFinite(value)) return `${value} is not finite (${kind})`
  if (kind === "f32" && !Number.isFinite(Math.fround(value))) return `${value} is past f32`
  return null
}

const explainInteger = (
  kind: string,
  range: { readonly min: number; readonly max: number },
  value: unknown
): string | null => {
  const problem = explainNumber(kind, value)
  if (problem !== null || typeof value !== "number") return problem
  if (!Number.isInteger(value)) return `${value} is not a whole number (${kind})`
  if (value >= range.min && value <= range.max) return null
  return `${value} is outside ${range.min} to ${range.max} (${kind})`
}

const explainText = (maxBytes: number, value: unknown): string | null => {
  if (typeof value !== "string") return `${show(value)} is not a string`
  // Such text has no UTF-8: it would arrive with other characters than were sent.
  if (!value.isWellFormed()) return `${show(value)} holds half of a surrogate pair`
  if (value.length * 3 <= maxBytes) return null
  const bytes = utf8Length(value)
  return bytes <= maxBytes ? null : `${bytes} bytes of UTF-8 are over ${maxBytes}`
}

/** Says what is wrong with a value of a field, `null` when it fits. Of an inner value it starts with its path. */
export const explain = (spec: FieldSpec, value: unknown): string | null => {
  switch (spec.kind) {
    case "bool":
      return typeof value === "boolean" ? null : `${show(value)} is not true or false`
    case "f32":
    case "f64":
      return explainNumber(spec.kind, value)
    case "quantised": {
      const problem = explainNumber(spec.kind, value)
      if (problem !== null || typeof value !== "number") return problem
      const fits = value >= spec.min && value <= spec.max
      return fits ? null : `${value} is outside ${spec.min} to ${spec.max} (quantised)`
    }
    case "string":
      return explainText(spec.maxBytes, value)
    case "bytes":
      if (!(value instanceof Uint8Array)) return `${show(value)} is not a Uint8Array`
      return value.length <= spec.maxBytes
        ? null
        : `${value.length} bytes are over ${spec.maxBytes}`
    case "enum":
      return typeof value === "string" && spec.choices.includes(value)
        ? null
        : `${show(value)} is not one of ${spec.choices.map(show).join(", ")}`
    case "ref":
      return explainInteger(`ref of ${spec.collection}`, IntegerRanges.u32, value)
    case "list":
      if (!Array.isArray(value)) return `${show(value)} is not an array`
      if (value.length > spec.maxLength) return `${value.length} items are over ${spec.maxLength}`
      return explainEach(value, spec.of)
    case "struct":
      return explainStruct(spec.fields, value)
    case "map":
      return explainMap(spec, value)
    case "optional":
      return value === undefined || value === null ? null : explain(spec.of, value)
    default:
      return explainInteger(spec.kind, IntegerRanges[spec.kind], value)
  }
}

const explainEach = (items: ReadonlyArray<unknown>, of: FieldSpec): string | null => {
  for (let place = 0; place < items.length; place += 1) {
    const problem = explain(of, items[place])
    if (problem !== null) return problemAt(`[${place}]`, problem)
  }
  return null
}

/** A field that is left out has its default. A key that no field declares would be lost. */
const explainStruct = (fields: ReadonlyArray<NamedSpec>, value: unknown): string | null => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return `${show(value)} is not an object`
  }
  for (const { name, spec } of fields) {
    const given: unknown = Reflect.get(value, name)
    const problem = given === undefined ? null : explain(spec, given)
    if (problem !== null) return problemAt(`.${name}`, problem)
  }
  const stray = Object.keys(value).find((key) => !fields.some(({ name }) => name === key))
  return stray === undefined ? null : `.${stray}: there is no such field`
}

const explainMap = (spec: MapSpec, value: unknown): string | null => {
  if (!isPairs(value)) return `${show(value)} is not a map`
  let count = 0
  for (const entry of value) {
    if (!Array.isArray(entry) || entry.length !== 2) return `${show(entry)} is not a pair`
    const [key, held]: ReadonlyArray<unknown> = entry
    const problem = explain(spec.key, key)
    if (problem !== null) return `the key ${problem}`
    const fault = explain(spec.value, held)
    if (fault !== null) return problemAt(`[${show(key)}]`, fault)
    count += 1
  }
  return count <= spec.maxEntries ? null : `${count} entries are over ${spec.maxEntries}`
}

/** A `Map`, a map of a room, or an array of pairs. */
const isPairs = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value
