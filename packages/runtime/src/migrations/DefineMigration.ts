// A registered symbol, so that a migration is known even if a bundle holds two copies of the SDK.
const MigrationBrand: unique symbol = Symbol.for("atrium.migration")

/** The schemas between which something goes, by the names that the service gives them. */
interface Between {
  readonly from: string
  readonly to: string
}

/**
 * How the stored state of one room type goes on. Both functions are pure: the same state always becomes the
 * same, and they know neither time nor chance. What they get is frozen.
 */
export interface RoomMigration extends Between {
  /** Makes the new state of the old one. Left out where every value goes on under its name. */
  readonly migrate?: (old: never) => object
  /** The way back, for a rollback. Left out = a rollback over this migration is refused. */
  readonly back?: (now: never) => object
}

/** A room type that is no more: its rooms stay stored, and cannot be joined. */
export interface RemovedRoomType {
  readonly from: string
  readonly removed: true
}

/** How the persisted fields of players go on, for all room types together. */
export interface PlayerMigration extends Between {
  readonly migrate: (old: never) => object
  readonly back?: (now: never) => object
}

/** What {@link defineMigration} takes. */
export interface MigrationDefinition {
  /** By room type. */
  readonly rooms?: Readonly<Record<string, RoomMigration | RemovedRoomType>>
  readonly player?: PlayerMigration
}

/** One step of a project's schemas. Export it from a file in `migrations`. */
export interface Migration extends MigrationDefinition {
  readonly [MigrationBrand]: true
}

/**
 * Defines how stored rooms and players go from one version of their schemas to the next. `atrium migrate
 * create` writes the call. Throws an `Error` that names what is missing.
 */
export const defineMigration = (definition: MigrationDefinition): Migration => {
  for (const [type, room] of Object.entries(definition.rooms ?? {})) {
    if ("removed" in room) demandTexts(`rooms.${type}`, { from: room.from })
    else demandChange(`rooms.${type}`, room)
  }
  if (definition.player !== undefined) {
    demandChange("player", definition.player)
    if (definition.player.migrate === undefined) throw new Error("player.migrate: is missing")
  }
  return { ...definition, [MigrationBrand]: true }
}

/** Tells whether a value was made by {@link defineMigration}, of whatever copy of the SDK. */
export const isMigration = (value: unknown): value is Migration =>
  typeof value === "object" && value !== null && MigrationBrand in value

const demandChange = (path: string, { from, to, migrate, back }: RoomMigration): void => {
  demandTexts(path, { from, to })
  for (const [name, change] of Object.entries({ migrate, back })) {
    if (change !== undefined && typeof change !== "function") {
      throw new Error(`${path}.${name}: is not a function`)
    }
  }
}

const demandTexts = (path: string, texts: Readonly<Record<string, unknown>>): void => {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== "string" || text === "") {
      throw new Error(`${path}.${name}: must be the name of a schema`)
    }
  }
}

/**
 * Stands where a value cannot be inferred: the migration fails there until somebody says it.
 *
 * @param what the value, and why
 */
export const undecided = (what: string): never => {
  throw new Error(`undecided: ${what}`)
}
