import { PhysicsBrand, type PhysicsEngine } from "@atrium/runtime/physics/PhysicsEngine"
import type { CollectionOf, PhysicsPoint } from "@atrium/runtime/physics/RoomPhysics"
import { PhysicsLimits } from "@atrium/wire/physics/PhysicsLimits"
import type { EntityOf, PartOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { SchemaError } from "@atrium/wire/schema/SchemaError"

import { bodyFields, collectionOf, isNumeric } from "./BodyFields.ts"
import type { Binding } from "./BoundCollection.ts"
import { BoundWorld, type WorldSetup } from "./BoundWorld.ts"
import { demandFinite, FiniteIn, guardModule } from "./FiniteGuard.ts"
import {
  type BodyDescOf,
  type BodyOf,
  type ColliderDescOf,
  dimensionsOf,
  type RapierModule,
  rapierOf,
  type WorldOf
} from "./Rapier.ts"

/** How the entities of a collection are bodies. */
export interface BodyBinding<R extends RapierModule, E> {
  /** The body of a new entity. It begins where the fields of the entity say, and as fast. */
  body(entity: E): BodyDescOf<R>
  /** The colliders of a new body. */
  colliders(entity: E): ReadonlyArray<ColliderDescOf<R>>
  /** Fields of the collection that the history keeps beside the pose, at most 8: each costs 4 bytes a body and tick. */
  readonly channels?: ReadonlyArray<string & keyof E>
}

type EntityIn<S, K> = K extends keyof PartOf<S, "entities">
  ? EntityOf<PartOf<S, "entities">[K]>
  : never

/** The physics of a room type. */
export interface PhysicsOptions<R extends RapierModule, S extends AnyRoomSchema> {
  readonly gravity: PhysicsPoint
  /** Builds what is in a new world before its bodies: floors and walls. Not called for a world that was stored. */
  build?(world: WorldOf<R>): void
  /**
   * Collections whose entities have a body each. Their fields say where it is: `x y`, `angle`, `vx vy` and `spin` in two
   * dimensions; `x y z`, `qx qy qz qw`, `vx vy vz` and `wx wy wz` in three. Only the place is needed.
   */
  readonly bodies: { readonly [K in CollectionOf<S>]?: BodyBinding<R, EntityIn<S, K>> }
}

/** The world of a room type. */
export interface Physics<R extends RapierModule, S extends AnyRoomSchema> extends PhysicsEngine {
  readonly schema: S
  /** The world of a room. Throws an `Error` for what is no room of this type. */
  worldOf(room: object): WorldOf<R>
  /** The body of an entity, also of one that was just added; `undefined` = there is no such entity. */
  bodyOf(
    room: object,
    collection: CollectionOf<S>,
    entity: number | { readonly id: number }
  ): BodyOf<R> | undefined
}

/**
 * Makes the physics of a room type, for `defineRoom`: a world that steps with the ticks of the room, after `onTick`, and that
 * is stored with it.
 *
 * @param rapier the default export of `@dimforge/rapier2d-deterministic-compat` or `@dimforge/rapier3d-deterministic-compat`
 * @param schema declares `physics`
 * Errors: `SchemaError` for collections, fields and channels that the schema does not have, and past 8 channels; `RangeError`
 * for a gravity that is no number. From then on calls of the library throw `RangeError` for what is no number.
 */
export const physics = <R extends RapierModule, const S extends AnyRoomSchema>(
  rapier: R,
  schema: S,
  options: PhysicsOptions<R, S>
): Physics<R, S> => {
  const setup = setupOf(rapier, schema, options)
  const worlds = new WeakMap<object, BoundWorld>()
  const worldOf = (room: object): BoundWorld => {
    const world = worlds.get(room)
    if (world === undefined)
      throw new Error(`${schema.type}: the room has no world of this physics`)
    return world
  }
  let ready: Promise<void> | null = null
  const made = Object.freeze<Physics<R, S>>({
    [PhysicsBrand]: true,
    schema,
    ready: () => (ready ??= rapier.init()),
    name: setup.name,
    start: (context) => {
      const world = new BoundWorld(setup, context)
      worlds.set(context.room, world)
      return world
    },
    // Both are of the very module that was given.
    worldOf: (room) => worldOf(room).world as WorldOf<R>,
    bodyOf: (room, collection, entity) => {
      const id = typeof entity === "number" ? entity : entity.id
      // As above.
      return worldOf(room).body(collection, id) as BodyOf<R> | undefined
    }
  })
  setups.set(made, setup)
  return made
}

const setups = new WeakMap<object, WorldSetup>()

/** The checked options of `physics`, for the world of a client. Throws an `Error` for an object that `physics` has not made. */
export const worldSetupOf = (made: PhysicsEngine): WorldSetup => {
  const setup = setups.get(made)
  if (setup === undefined) throw new Error("must be what physics of @atrium/sdk/physics has made")
  return setup
}

const setupOf = <R extends RapierModule, S extends AnyRoomSchema>(
  module: R,
  schema: S,
  { gravity, build, bodies }: PhysicsOptions<R, S>
): WorldSetup => {
  if (schema.physics === null) {
    throw new SchemaError(`physics: the schema ${schema.type} declares no physics`)
  }
  const { dimensions, history } = schema.physics
  if (dimensionsOf(module) !== dimensions) {
    throw new SchemaError(
      `physics: the schema declares ${dimensions} dimensions, and the library has ${dimensionsOf(module)}`
    )
  }
  // A point of a game may leave out z.
  demandFinite("gravity", gravity, FiniteIn[2])
  guardModule(module, dimensions)
  const rapier = rapierOf(module)
  const { x, y, z = 0 } = gravity
  return {
    rapier,
    dimensions,
    history,
    name: () => `rapier${dimensions}d ${rapier.version()}`,
    gravity: dimensions === 3 ? { x, y, z } : { x, y },
    // It gets the world of its own module.
    build: (world) => build?.(world as WorldOf<R>),
    bindings: Object.entries(bodies).map(([name, binding]) =>
      bindingOf(schema, name, Object(binding))
    )
  }
}

type Given = Partial<Pick<Binding, "body" | "colliders" | "channels">>

const bindingOf = (schema: AnyRoomSchema, name: string, given: Given): Binding => {
  const shape = collectionOf(schema, name)
  const { body, colliders, channels = [] } = given
  if (typeof body !== "function" || typeof colliders !== "function") {
    throw new SchemaError(`physics: ${name}: needs the functions body and colliders`)
  }
  const { max } = PhysicsLimits.physicsChannels
  if (channels.length > max) {
    throw new SchemaError(`physics: ${name}: ${channels.length} history channels are over ${max}`)
  }
  for (const [place, channel] of channels.entries()) {
    if (!isNumeric(shape, channel)) {
      throw new SchemaError(`physics: ${name}.${channel}: a history channel must be a number field`)
    }
    if (channels.indexOf(channel) < place) {
      throw new SchemaError(`physics: ${name}.${channel}: is a history channel twice`)
    }
  }
  const fields = bodyFields(schema.physics?.dimensions ?? 3, shape)
  return { name, fields, channels, body, colliders }
}
