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
): ReadonlyArray<string> => {
  const names = new Set([...after.singletons, ...after.entities].map(({ name }) => name))
  const isGone = ({ name }: ShapeDescriptor): boolean => !names.has(name)
  const gone = before.entities.filter(isGone)
  return [
    ...[...before.singletons.filter(isGone), ...gone].map(({ name }) => `// ${name} was removed`),
    ...after.singletons.flatMap((shape) => singletonLines(shape, before)),
    ...after.entities.flatMap((shape) => {
      const was = before.entities.find(({ name }) => name === shape.name)
      return was === undefined ? newLines(shape, gone) : mappedLines(shape, was.fields)
    })
  ]
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

const newLines = (
  shape: ShapeDescriptor,
  gone: ReadonlyArray<ShapeDescriptor>
): ReadonlyArray<string> => {
  const like = likelyCollection(shape, gone)
  const asked = like === null ? [] : [`// Was it called ${like}? Then: old.${like}.map(…)`]
  return [...asked, `${shape.name}: [], // new`]
}

const mappedLines = (
  { name, fields }: ShapeDescriptor,
  before: ShapeDescriptor["fields"]
): ReadonlyArray<string> => [
  `${name}: old.${name}.map((each) => ({`,
  "  id: each.id,",
  ...inferredLines({ path: name, old: "each", before, after: fields }).map(indented),
  "})),"
]

/** The removed collection that has half of the fields of a new one, or more. */
const likelyCollection = (
  { fields }: ShapeDescriptor,
  gone: ReadonlyArray<ShapeDescriptor>
): string | null => {
  const shared = ({ fields: others }: ShapeDescriptor): number =>
    others.filter(({ name }) => fields.some((field) => field.name === name)).length
  const [best] = gone.toSorted((one, other) => shared(other) - shared(one))
  return best !== undefined && 2 * shared(best) >= Math.max(1, fields.length) ? best.name : null
}

const indented = (line: string): string => `  ${line}`
