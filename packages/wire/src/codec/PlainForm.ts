/**
 * A value of a field as msgpack and JSON carry it: maps are lists of pairs. What is absent from a struct is
 * left out.
 */
export const plainForm = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value
  if (Symbol.iterator in value) return Array.from(Object(value), plainForm)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainForm(part)]))
}
