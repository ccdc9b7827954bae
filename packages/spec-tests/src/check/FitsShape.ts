import type { FieldShape, Shape } from "../sections/Row.ts"
import type { Trial } from "../trial/Trial.ts"
import { Mismatch, same } from "./Expect.ts"

/** An object has the fields of a row, each of its type and form. That it has no others is our choice. */
export const fitsShape = (
  trial: Pick<Trial, "chosen">,
  row: Shape,
  value: Readonly<Record<string, unknown>>
): void => {
  for (const [field, shape] of Object.entries(row.fields)) {
    if (!Object.hasOwn(value, field)) {
      throw new Mismatch(`${row.of}: ${field}`, { expected: "is there", actual: value })
    }
    fits(`${row.of}: ${field}`, shape, value[field])
  }
  if (row.exact !== true) return
  trial.chosen("D-04", () =>
    same(`${row.of}: its fields`, Object.keys(value).toSorted(), Object.keys(row.fields).toSorted())
  )
}

const fits = (what: string, { type, pattern, values }: FieldShape, value: unknown): void => {
  const isOfType = type.some((name) => name === typeOf(value))
  if (!isOfType) throw new Mismatch(what, { expected: type.join(" or "), actual: value })
  if (typeof value === "string" && pattern !== undefined && !new RegExp(pattern).test(value)) {
    throw new Mismatch(what, { expected: pattern, actual: value })
  }
  if (values !== undefined && !values.some((known) => known === value)) {
    throw new Mismatch(what, { expected: values, actual: value })
  }
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return Number.isInteger(value) ? "integer" : typeof value
}
