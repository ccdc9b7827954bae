import type { PartOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

/** A place, a direction or a velocity. In two dimensions `z` is 0, and may be left out of what a call is given. */
export interface PhysicsVector {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** A `PhysicsVector` as an argument: `z` may be left out. */
export interface PhysicsPoint {
  readonly x: number
  readonly y: number
  readonly z?: number
}

/** A rotation in three dimensions. */
export interface PhysicsQuaternion {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly w: number
}

/** In two dimensions a rotation is an angle in radians, in three a quaternion. */
export type RotationOf<S> =
  PartOf<S, "physics"> extends { readonly dimensions: 2 } ? number : PhysicsQuaternion

/** How many numbers are needed for a turn: one in two dimensions, a vector in three. */
export type SpinOf<S> =
  PartOf<S, "physics"> extends { readonly dimensions: 2 } ? number : PhysicsVector

/** The name of a collection; any text where the schema is not known. */
export type CollectionOf<S> = [keyof PartOf<S, "entities">] extends [never]
  ? string
  : string & keyof PartOf<S, "entities">

/** What the history knows of one body at one tick. */
export interface PastBody<S extends AnyRoomSchema = AnyRoomSchema> {
  readonly position: PhysicsVector
  readonly rotation: RotationOf<S>
  /** Units a second. */
  readonly linvel: PhysicsVector
  /** Radians a second. */
  readonly angvel: SpinOf<S>
  /** The force and the torque that room code had set. */
  readonly force: PhysicsVector
  readonly torque: SpinOf<S>
  readonly centerOfMass: PhysicsVector
  readonly mass: number
  readonly sleeping: boolean
}

/** An entity with a body. */
export interface BodyRef<S extends AnyRoomSchema = AnyRoomSchema> {
  readonly collection: CollectionOf<S>
  readonly id: number
}

/** The first collider that a ray met. */
export interface RayHit<S extends AnyRoomSchema = AnyRoomSchema> {
  /** `null` = a collider that no entity has, such as the floor. It is where it is now. */
  readonly body: BodyRef<S> | null
  /** In lengths of the ray's direction. */
  readonly distance: number
  readonly point: PhysicsVector
  readonly normal: PhysicsVector
}

/** How far a ray goes, and what it goes through. */
export interface RayOptions<S extends AnyRoomSchema = AnyRoomSchema> {
  /** In lengths of the ray's direction; without end when left out. */
  readonly maxDistance?: number
  /** The body that casts the ray. */
  readonly except?: BodyRef<S>
}

/**
 * The bodies of the room as they were at a tick. It is read only, and gone when the callback of `rewind` returns. A body
 * has the colliders that it has now; a body that is gone by now is not there.
 */
export interface PastWorld<S extends AnyRoomSchema = AnyRoomSchema> {
  /** The tick whose poses these are: the one that was asked for, or the nearest one that the history holds. */
  readonly tick: number
  /** `undefined` = the entity had no body then, or has none now. */
  body(collection: CollectionOf<S>, id: number): PastBody<S> | undefined
  /** The value of a history channel; `undefined` as for `body`. Throws an `Error` for a channel that is not declared. */
  channel(collection: CollectionOf<S>, id: number, name: string): number | undefined
  /** What a ray meets first; `null` = nothing. */
  castRay(
    ray: { readonly origin: PhysicsPoint; readonly dir: PhysicsPoint },
    options?: RayOptions<S>
  ): RayHit<S> | null
  /** The bodies that hold a point. */
  bodiesAt(point: PhysicsPoint): ReadonlyArray<BodyRef<S>>
}

/** What the history holds, and what it costs. */
export interface PhysicsHistory {
  /** `null` = nothing yet. */
  readonly oldestTick: number | null
  readonly newestTick: number | null
  /** Bytes of all poses: 100 a body and tick in three dimensions, 56 in two. */
  readonly poseBytes: number
  /** Bytes of all channels: 4 a channel, body and tick. */
  readonly channelBytes: number
}

/** The physics of a room whose schema declares `physics`; its world is that of `@atrium/sdk/physics`. */
export interface RoomPhysics<S extends AnyRoomSchema = AnyRoomSchema> {
  /**
   * Looks at the bodies as they were after a tick. A tick that the history does not hold is the nearest one that it holds:
   * `world.tick` tells. The history begins anew when the room wakes. Nothing of the room's own world changes.
   *
   * Errors: `RpcError` E_PHYSICS_NO_HISTORY where the schema declares no `physics.history`; `RangeError` for a tick that
   * is no number.
   */
  rewind<T>(atTick: number, run: (world: PastWorld<S>) => T): T
  readonly history: PhysicsHistory
}
