import type { FieldDescriptor } from "./Descriptor.ts"

/** The kind of a field with its bounds, about as a schema writes it. */
export const kindText = ({ kind, ...bounds }: FieldDescriptor): string => {
  const { min, max, step, maxBytes, choices, collection, of, maxLength } = bounds
  const { key, value, maxEntries, fields } = bounds
  if (fields !== undefined) {
    return `${kind}(${fields.map(({ name, ...field }) => `${name}: ${kindText(field)}`).join(", ")})`
  }
  if (key !== undefined && value !== undefined) {
    return `${kind}(${kindText(key)}, ${kindText(value)}, ${maxEntries})`
  }
  if (of !== undefined) {
    return `${kind}(${kindText(of)}${maxLength === undefined ? "" : `, ${maxLength}`})`
  }
  if (step !== undefined) return `${kind}(${min} to ${max} by ${step})`
  if (choices !== undefined) {
    // A choice may hold a line break, and the text is a line of a log and of a migration.
    return `${kind}(${choices.map((choice) => JSON.stringify(choice)).join(", ")})`
  }
  return `${kind}${bracketed(maxBytes ?? collection)}`
}

const bracketed = (bound: number | string | undefined): string =>
  bound === undefined ? "" : `(${bound})`
