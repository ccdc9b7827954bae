import type { SchemaDescriptor, ShapeDescriptor } from "@atrium/wire/schema"

import { memberText } from "./FieldText.ts"
import { inferredLines } from "./InferredRecord.ts"

/** The state of a schema as an interface of plain records. `made`: records may leave their ids out. */
export const stateInterface = (
  name: string,
  { singletons, entities }: SchemaDescriptor,
  made: boolean
): ReadonlyArray<string> => [
  `interface ${name} {`,
  ...singletons.flatMap((shape) => [
    `  readonly ${shape.name}: {`,
    ...memberLines(shape.fields).map((line) => `    ${line}`),
    "  }"
  ]),
  ...entities.flatMap((shape) => [
    `  readonly ${shape.name}: ReadonlyArray<{`,
    `    readonly id${made ? "?" : ""}: number`,
    ...memberLines(shape.fields).map((line) => `    ${line}`),
    "  }>"
  ]),
  "}"
]

/** The members of an interface for the values of these fields. */
export const memberLines = (fields: ShapeDescriptor["fields"]): ReadonlyArray<string> =>
  fields.map(memberText)

/** The lines of an object literal that makes the new state of `old`, without its braces. */
export const stateLines = (
  before: SchemaDescriptor,
  after: SchemaDescriptor
): ReadonlyArray<string> => [
  ...removedLines(before, after),
  ...after.singletons.flatMap((shape) => singletonLines(shape, before)),
  ...after.entities.flatMap((shape) => collectionLines(shape, before))
]

const removedLines = (before: SchemaDescriptor, after: SchemaDescriptor): ReadonlyArray<string> => {
  const names = [...after.singletons, ...after.entities].map(({ name }) => name)
  return [...before.singletons, ...before.entities]
    .filter(({ name }) => !names.includes(name))
    .map(({ name }) => `// ${name} was removed`)
}

const singletonLines = (
  { name, fields }: ShapeDescriptor,
  { singletons }: SchemaDescriptor
): ReadonlyArray<string> => {
  const was = singletons.find((shape) => shape.name === name)
  const old = was === undefined ? null : `old.${name}`
  const lines = inferredLines({ path: name, old, before: was?.fields ?? [], after: fields })
  return [`${name}: {${was === undefined ? " // new" : ""}`, ...lines.map(indented), "},"]
}

const collectionLines = (
  { name, fields }: ShapeDescriptor,
  before: SchemaDescriptor
): ReadonlyArray<string> => {
  const was = before.entities.find((shape) => shape.name === name)
  if (was !== undefined) return mappedLines({ name, fields }, { from: name, before: was.fields })
  const like = likelyCollection({ name, fields }, before)
  const asked = like === null ? [] : [`// Was it called ${like}? Then: old.${like}.map(…)`]
  return [...asked, `${name}: [], // new`]
}

interface Source {
  readonly from: string
  readonly before: ShapeDescriptor["fields"]
}

const mappedLines = (
  { name, fields }: ShapeDescriptor,
  { from, before }: Source
): ReadonlyArray<string> => [
  `${name}: old.${from}.map((each) => ({`,
  "  id: each.id,",
  ...inferredLines({ path: name, old: "each", before, after: fields }).map(indented),
  "})),"
]

/** A removed collection that has half of the fields of a new one, or more. */
const likelyCollection = (
  { fields }: ShapeDescriptor,
  { entities }: SchemaDescriptor
): string | null => {
  const shared = ({ fields: others }: ShapeDescriptor): number =>
    others.filter(({ name }) => fields.some((field) => field.name === name)).length
  const [best] = entities.toSorted((one, other) => shared(other) - shared(one))
  return best !== undefined && 2 * shared(best) >= Math.max(1, fields.length) ? best.name : null
}

const indented = (line: string): string => `  ${line}`
