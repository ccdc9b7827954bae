import type { NamedFieldDescriptor } from "@atrium/wire/schema"
import type { FieldSpec, NamedSpec } from "@atrium/wire/schema/FieldSpec"
import { fieldsOfDescriptors } from "@atrium/wire/schema/FromDescriptor"
import { widens } from "@atrium/wire/schema/Widening"

/**
 * Tells whether a migration may copy the value of a field into the new one, which takes every such value as it is. Unlike
 * a deploy without a migration it may reorder the choices of an enum, as it holds them by name, and make a value optional.
 * A new field of a struct must be optional: the copy does not have it. Source: C-56, C-709.
 */
export const isAssignable = (was: NamedFieldDescriptor, is: NamedFieldDescriptor): boolean => {
  const [old, next] = fieldsOfDescriptors("field", [was, is])
  return old !== undefined && next !== undefined && takes(old.field.spec, next.field.spec)
}

const takes = (was: FieldSpec, is: FieldSpec): boolean => {
  if (is.kind === "optional") return takes(was.kind === "optional" ? was.of : was, is.of)
  switch (was.kind) {
    case "enum":
      return is.kind === was.kind && was.choices.every((choice) => is.choices.includes(choice))
    case "list":
      return is.kind === was.kind && was.maxLength <= is.maxLength && takes(was.of, is.of)
    case "map":
      return (
        is.kind === was.kind &&
        was.maxEntries <= is.maxEntries &&
        takes(was.key, is.key) &&
        takes(was.value, is.value)
      )
    case "struct":
      return is.kind === was.kind && takesFields(was.fields, is.fields)
    default:
      return widens(was, is)
  }
}

/** A struct takes no key that it does not declare, and misses none but that of an optional field. */
const takesFields = (was: ReadonlyArray<NamedSpec>, is: ReadonlyArray<NamedSpec>): boolean => {
  const old = new Map(was.map(({ name, spec }) => [name, spec]))
  const names = new Set(is.map(({ name }) => name))
  return (
    was.every(({ name }) => names.has(name)) &&
    is.every(({ name, spec }) => {
      const before = old.get(name)
      return before === undefined ? spec.kind === "optional" : takes(before, spec)
    })
  )
}
