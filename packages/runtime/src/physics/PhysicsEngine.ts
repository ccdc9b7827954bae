import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { RoomPhysics } from "./RoomPhysics.ts"

// A registered symbol, so that an engine is known even if a bundle holds two copies of the SDK.
export const PhysicsBrand: unique symbol = Symbol.for("atrium.physics")

/** The part of a snapshot that holds a room's world. */
export interface SavedWorld {
  /** The library that wrote the world, such as `rapier3d 0.21.0`: no other one reads it. */
  readonly engine: string
  readonly world: Uint8Array
  /** Which entity has which body, by collection. */
  readonly bodies: Readonly<Record<string, Uint8Array>>
}

/** What a world needs of its room. */
export interface PhysicsContext {
  /** As room code gets it. */
  readonly room: object
  readonly tickHz: number
  /** Ticks that have run. */
  readonly tick: number
  /** Every collection of the room by name. */
  readonly state: Readonly<Record<string, unknown>>
  /** `null` = there is none. */
  readonly saved: SavedWorld | null
  warn(line: string): void
}

/** The world of one room. */
export interface PhysicsWorld extends RoomPhysics {
  /** Steps it by one tick, and writes what moved to the entities. Throws an `Error` for a gravity that is no number: then nothing has moved. */
  step(tick: number): void
  save(): SavedWorld
}

/** What `physics` of `@atrium/sdk/physics` makes, and the runtime steps: the library itself is the game's own. */
export interface PhysicsEngine {
  readonly [PhysicsBrand]: true
  /** The schema that it was made for. */
  readonly schema: AnyRoomSchema
  /** Resolves when the library can be used. */
  ready(): Promise<void>
  /** The library and its version, as soon as it is ready. */
  name(): string
  /** Makes the world of a room, or takes the saved one. */
  start(context: PhysicsContext): PhysicsWorld
}
