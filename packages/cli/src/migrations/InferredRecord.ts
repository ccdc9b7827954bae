import type { NamedFieldDescriptor } from "@atrium/wire/schema"
import { kindText } from "@atrium/wire/schema/KindText"
import { nearestName } from "@atrium/wire/schema/UnknownKey"

import { isAssignable } from "./Assignable.ts"
import { defaultText } from "./FieldText.ts"

/** The fields of a record before and after a change. */
export interface RecordChange {
  /** What the record is called in comments, such as `players`. */
  readonly path: string
  /** The expression of the old record; `null` = there is none, as the record is new. */
  readonly old: string | null
  readonly before: ReadonlyArray<NamedFieldDescriptor>
  readonly after: ReadonlyArray<NamedFieldDescriptor>
}

/** The lines of an object literal that makes the new record, without its braces. */
export const inferredLines = (change: RecordChange): ReadonlyArray<string> => {
  const gone = change.before.filter(({ name }) => fieldOf(change.after, name) === undefined)
  return [
    ...gone.map(({ name, ...field }) => `// ${name}: ${kindText(field)} was removed`),
    ...change.after.flatMap((field) => fieldLines(change, field, gone))
  ]
}

const fieldLines = (
  { path, old, before }: RecordChange,
  field: NamedFieldDescriptor,
  gone: ReadonlyArray<NamedFieldDescriptor>
): ReadonlyArray<string> => {
  const { name } = field
  const was = fieldOf(before, name)
  if (old === null) return [`${name}: ${defaultText(field)},`]
  if (was === undefined) {
    const likely = likelyName(field, gone)
    const asked = likely === null ? [] : [`// Was it called ${likely}? Then: ${old}.${likely}`]
    return [...asked, `${name}: ${defaultText(field)}, // new`]
  }
  const [from, to] = [kindText(was), kindText(field)]
  const says = `${path}.${name} was ${from} and is ${to}`
  if (isAssignable(was, field)) {
    return [...(from === to ? [] : [`// ${says}`]), `${name}: ${old}.${name},`]
  }
  return [`// It was ${old}.${name}.`, `${name}: undecided(${JSON.stringify(says)}),`]
}

const fieldOf = (fields: ReadonlyArray<NamedFieldDescriptor>, name: string) =>
  fields.find((field) => field.name === name)

/** The removed field that a new one may have been: the new one takes its values, and its name is the nearest. */
const likelyName = (
  field: NamedFieldDescriptor,
  gone: ReadonlyArray<NamedFieldDescriptor>
): string | null => {
  const alike = gone.filter((other) => isAssignable(other, field)).map((other) => other.name)
  return nearestName(field.name, alike) ?? (alike.length === 1 ? (alike[0] ?? null) : null)
}
