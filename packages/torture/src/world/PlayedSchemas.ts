import type { Carried } from "@atrium/actors/migrations/VersionStep"
import type { PlayState } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { defineSchema, describe, s, type SchemaDescriptor, schemaHash } from "@atrium/wire/schema"

/** The schema of what the rooms of a version store. */
export interface PlayedSchema {
  /** State of another level is not read: only a migration leads from one to another. */
  readonly level: number
  /** Fields that were added since; a state without them is read. */
  readonly added: number
}

/** A migration between two schemas. */
export interface PlayedMigration {
  readonly from: PlayedSchema
  readonly to: PlayedSchema
  /** It leads back, too. */
  readonly back: boolean
  /** It throws for states whose number of writes has this remainder; `null` = for none. */
  readonly throwsFor: number | null
}

/** The schema that a bundle stores, and the migrations that it carries. */
export interface PlayedStorage {
  readonly schema: PlayedSchema
  readonly migrations: ReadonlyArray<PlayedMigration>
}

/** The remainders of {@link PlayedMigration.throwsFor}. */
export const throwsOf = 3

// An interface is no JSON for the compiler, and the descriptor is stored as such.
type PlayedShape = {
  readonly name: string
  readonly fields: ReadonlyArray<{ readonly name: string; readonly kind: "u8" }>
}

/** A schema as a room type declares it. */
interface DeclaredSchema {
  readonly singletons: ReadonlyArray<PlayedShape>
  readonly hash: string
}

const known = new Map<string, DeclaredSchema>()

export const declaredSchema = ({ level, added }: PlayedSchema): DeclaredSchema => {
  const key = `${level}/${added}`
  const before = known.get(key)
  if (before !== undefined) return before
  const names = [`level${level}`, ...Array.from({ length: added }, (_, at) => `added${at}`)]
  const core = Object.fromEntries(names.map((name) => [name, s.u8()]))
  const schema = defineSchema({ type: "played", singletons: { core } })
  const singletons: DeclaredSchema["singletons"] = JSON.parse(
    JSON.stringify(describe(schema).singletons)
  )
  const declared = { singletons, hash: schemaHash(schema) }
  known.set(key, declared)
  return declared
}

/** The level of a schema that {@link declaredSchema} has made. */
export const levelIn = ({ singletons }: SchemaDescriptor): number =>
  Number(singletons[0]?.fields[0]?.name.slice("level".length))

/** The changes that the migrations of a bundle can make, for each of its types. */
export const carriedBy = (
  { migrations }: PlayedStorage,
  types: ReadonlyArray<string>
): ReadonlyArray<Carried> =>
  migrations.flatMap(({ from, to, back }) =>
    types.map((type) => ({
      type,
      from: declaredSchema(from).hash,
      to: declaredSchema(to).hash,
      code: true,
      back
    }))
  )

/** A state begins with the level on which its room began, and a migration adds the level that it leads to. */
export const onLevel = (state: PlayState, level: number): PlayState => [...state, -level]

export const levelOf = (state: PlayState): number => -(state.findLast((each) => each < 0) ?? 0)

/** Whether a migration throws for a state. */
export const isThrown = ({ throwsFor }: PlayedMigration, state: PlayState): boolean =>
  state.filter((each) => each > 0).length % throwsOf === throwsFor
