import type { FieldShape, Shape } from "../sections/Row.ts"

/** The fault of a JSON value by the shape of a row; null = it fits. */
export const shapeOf = (row: Shape): ((value: unknown) => string | null) => {
  const fields = Object.entries(row.fields).map(
    ([name, field]) => [name, field, patternOf(field)] as const
  )
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return `it is ${typeOf(value)}, not an object`
    }
    const given = new Map<string, unknown>(Object.entries(value))
    for (const [name, field, pattern] of fields) {
      if (!given.has(name)) return `${name} is missing`
      const fault = fieldFault(given.get(name), field, pattern)
      if (fault !== null) return `${name} ${fault}`
    }
    const more = [...given.keys()].filter((name) => !Object.hasOwn(row.fields, name))
    return row.exact === true && more.length > 0 ? `${more.join(", ")} is no field of it` : null
  }
}

const patternOf = ({ pattern }: FieldShape): RegExp | null =>
  pattern === undefined ? null : new RegExp(`^(?:${pattern})$`, "u")

const fieldFault = (value: unknown, field: FieldShape, pattern: RegExp | null): string | null => {
  const type = typeOf(value)
  if (!field.type.some((allowed) => allowed === type)) {
    return `is ${type}, not ${field.type.join(" or ")}`
  }
  if (typeof value === "string" && pattern?.test(value) === false) {
    return `is ${JSON.stringify(value)}, not of the form ${field.pattern ?? ""}`
  }
  if (field.values !== undefined && !field.values.some((allowed) => allowed === value)) {
    return `is ${JSON.stringify(value)}, none of ${field.values.join(", ")}`
  }
  return null
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "fraction"
  return typeof value
}
