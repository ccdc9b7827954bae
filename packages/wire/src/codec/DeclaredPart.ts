import type { AnyField } from "../schema/Field.ts"
import { Wire } from "../schema/Wire.ts"

/**
 * A value that another version of the schema wrote, without the fields of structs that this one does not
 * declare. It may still not fit.
 */
export const declaredPart = (field: AnyField, value: unknown): unknown => {
  const { item, wire } = field
  if (value === null || typeof value !== "object") return value
  if (wire === Wire.struct) {
    return Object.fromEntries(
      field.fields.map(({ name, field: part }) => [
        name,
        declaredPart(part, Reflect.get(value, name))
      ])
    )
  }
  if (item === null) return value
  if (wire === Wire.optional) return declaredPart(item, value)
  if (wire === Wire.list) {
    return Array.isArray(value) ? value.map((entry) => declaredPart(item, entry)) : value
  }
  if (!(Symbol.iterator in value)) return value
  return Array.from(Object(value), (entry: unknown) =>
    Array.isArray(entry) ? [entry[0], declaredPart(item, entry[1])] : entry
  )
}
