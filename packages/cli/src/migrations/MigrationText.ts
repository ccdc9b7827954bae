import {
  fromDescriptor,
  type NamedFieldDescriptor,
  type SchemaDescriptor
} from "@atrium/wire/schema"
import { stateDifference } from "@atrium/wire/schema/PartDifference"

import { inferredLines } from "./InferredRecord.ts"
import { memberLines, stateInterface, stateLines } from "./InferredState.ts"

/** A schema, and the name that the service gives it. */
export interface NamedSchema {
  readonly hash: string
  readonly schema: SchemaDescriptor
}

/** A room type that breaks. */
export interface TypeChange {
  readonly type: string
  /** The version that declared it last. */
  readonly version: number
  /** The first difference, for people. */
  readonly difference: string
  readonly before: NamedSchema
  /** `null` = the type is gone. */
  readonly after: NamedSchema | null
}

/** The persisted fields of players, and their name. */
export interface NamedFields {
  readonly hash: string
  readonly fields: ReadonlyArray<NamedFieldDescriptor>
}

/** All that a migration is to lead over. */
export interface Change {
  /** The version that is current. */
  readonly version: number
  /** The version that the next deploy makes, unless another one comes between. */
  readonly next: number
  readonly types: ReadonlyArray<TypeChange>
  /** `null` = what is stored of players goes on by name. */
  readonly players: { readonly before: NamedFields; readonly after: NamedFields } | null
}

const begins =
  "// #region Schemas. `atrium migrate create` writes this part anew when they change before the deploy."
const ends = "// #endregion"

/** A migration, filled in with everything that can be inferred. */
export const migrationText = (change: Change): string => {
  const body = bodyLines(change)
  const imported = body.some((line) => line.includes("undecided("))
    ? "defineMigration, undecided"
    : "defineMigration"
  return [
    `import { ${imported} } from "@atrium/sdk/migration"`,
    "",
    ...regionLines(change),
    "",
    ...body,
    ""
  ].join("\n")
}

/**
 * The same file with its schemas written anew; what else is in it stays.
 *
 * @returns `null` = the marks around the schemas are gone
 */
export const withSchemas = (text: string, change: Change): string | null => {
  const from = text.indexOf(begins)
  const to = text.indexOf(ends, from)
  if (from === -1 || to === -1) return null
  return text.slice(0, from) + regionLines(change).join("\n") + text.slice(to + ends.length)
}

const regionLines = (change: Change): ReadonlyArray<string> => [
  begins,
  "",
  "/** The schemas between which it goes. */",
  "const schemas = {",
  ...change.types.map(({ type, before, after }) =>
    after === null
      ? `  ${keyText(type)}: { from: ${JSON.stringify(before.hash)} },`
      : `  ${keyText(type)}: ${betweenText(before, after)},`
  ),
  "} as const",
  ...(change.players === null
    ? []
    : [`const players = ${betweenText(change.players.before, change.players.after)} as const`]),
  ...change.types.flatMap((each) => typeLines(each, change.next)),
  ...playerTypeLines(change),
  "",
  ends
]

const betweenText = (before: { readonly hash: string }, after: { readonly hash: string }): string =>
  `{ from: ${JSON.stringify(before.hash)}, to: ${JSON.stringify(after.hash)} }`

/** Whether the type's state needs code to go on. */
const needsCode = ({ before, after }: TypeChange): boolean =>
  after !== null &&
  stateDifference(fromDescriptor(before.schema), fromDescriptor(after.schema)) !== null

const typeLines = (change: TypeChange, next: number): ReadonlyArray<string> => {
  const { type, version, before, after } = change
  if (after === null || !needsCode(change)) return []
  const name = typeName(type)
  return [
    "",
    `/** The state of ${type} in version ${version}. */`,
    ...stateInterface(`${name}V${version}`, before.schema, false),
    "",
    `/** The same in the next version; a record without an id gets the next one. */`,
    ...stateInterface(`${name}V${next}`, after.schema, true)
  ]
}

const playerTypeLines = ({ players, version, next }: Change): ReadonlyArray<string> =>
  players === null
    ? []
    : [
        "",
        `/** The persisted fields of a player in version ${version}. */`,
        ...interfaceOf(`PlayerV${version}`, players.before.fields),
        "",
        "/** The same in the next version. */",
        ...interfaceOf(`PlayerV${next}`, players.after.fields)
      ]

const interfaceOf = (
  name: string,
  fields: ReadonlyArray<NamedFieldDescriptor>
): ReadonlyArray<string> => [
  `interface ${name} {`,
  ...memberLines(fields).map((line) => `  ${line}`),
  "}"
]

const bodyLines = (change: Change): ReadonlyArray<string> => [
  "// The functions are pure: they know neither time nor chance, and what they get is frozen.",
  "export const migration = defineMigration({",
  ...(change.types.length === 0
    ? []
    : ["  rooms: {", ...change.types.flatMap((each) => roomLines(each, change.next)), "  },"]),
  ...playerLines(change),
  "})"
]

const roomLines = (change: TypeChange, next: number): ReadonlyArray<string> => {
  const { type, version, difference, before, after } = change
  const key = keyText(type)
  const its = `...schemas${accessText(type)}`
  if (after === null) {
    return [
      "    // Its rooms stay stored, and cannot be joined any more.",
      `    ${key}: { ${its}, removed: true },`
    ]
  }
  if (!needsCode(change)) {
    return [`    // ${difference}: what is stored goes on by name.`, `    ${key}: { ${its} },`]
  }
  const name = typeName(type)
  const [oldName, newName] = [`${name}V${version}`, `${name}V${next}`]
  return [
    `    ${key}: {`,
    `      ${its},`,
    `      migrate: (old: ${oldName}): ${newName} => ({`,
    ...stateLines(before.schema, after.schema).map((line) => `        ${line}`),
    "      })",
    "      // With a way back `atrium rollback` can go back over it:",
    `      // back: (now: ${newName}): ${oldName} => ({ … })`,
    "    },"
  ]
}

const playerLines = ({ players, version, next }: Change): ReadonlyArray<string> => {
  if (players === null) return []
  const lines = inferredLines({
    path: "player",
    old: "old",
    before: players.before.fields,
    after: players.after.fields
  })
  return [
    "  player: {",
    "    ...players,",
    `    migrate: (old: PlayerV${version}): PlayerV${next} => ({`,
    ...lines.map((line) => `      ${line}`),
    "    })",
    "  }"
  ]
}

/** A room type as the name of an interface: `tic-tac-toe` is `TicTacToe`. */
const typeName = (type: string): string => {
  const words = type.split(/[^a-z0-9]+/i).filter((word) => word !== "")
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")
  return /^[A-Z]/.test(name) ? name : `Room${name}`
}

const isPlainKey = (key: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key)
const keyText = (key: string): string => (isPlainKey(key) ? key : JSON.stringify(key))
const accessText = (key: string): string =>
  isPlainKey(key) ? `.${key}` : `[${JSON.stringify(key)}]`
