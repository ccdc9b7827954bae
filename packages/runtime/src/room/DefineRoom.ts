import { type HiddenDefinition, withHidden } from "@atrium/wire/schema/HiddenState"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { PhysicsBrand } from "../physics/PhysicsEngine.ts"
import type { RoomHandlers } from "./Room.ts"
import { type RoomRules, rulesOf } from "./Visibility.ts"

// A registered symbol, so that a definition is known even if a bundle holds two copies of the SDK.
const RoomBrand: unique symbol = Symbol.for("atrium.room")

/** A room type: its schema and what it does. Export it; the service finds it. */
export interface RoomDefinition<
  S extends AnyRoomSchema = AnyRoomSchema,
  H extends HiddenDefinition = {}
> {
  readonly [RoomBrand]: true
  readonly schema: S
  readonly handlers: RoomHandlers<S, H>
  /** The schema of all that is stored; absent = that is what clients know. */
  readonly stored?: AnyRoomSchema
  /** Who sees what; absent = all clients see the whole state. */
  readonly rules?: RoomRules
}

/**
 * Defines a room type. Throws an `Error` that names the handler when one is missing, is not of the
 * schema, or is no function.
 */
export const defineRoom = <const S extends AnyRoomSchema, const H extends HiddenDefinition = {}>(
  schema: S,
  handlers: RoomHandlers<S, H>
): RoomDefinition<S, H> => {
  for (const [name, handler] of Object.entries(handlers)) {
    if (!Groups.has(name)) demandFunction(schema.type, name, handler)
    if (!HandlerNames.has(name)) throw new Error(`${schema.type}.${name}: there is no such handler`)
  }
  for (const [name, handler] of Object.entries(handlers.onMessage ?? {})) {
    if (name !== "*" && !schema.messages.byName.has(name)) {
      throw new Error(`${schema.type}.onMessage.${name}: the schema has no such message`)
    }
    demandFunction(schema.type, `onMessage.${name}`, handler)
  }
  const rpc: { readonly [name: string]: unknown } = handlers.rpc ?? {}
  for (const [name, handler] of Object.entries(rpc)) {
    if (!schema.rpc.client.byName.has(name)) {
      throw new Error(`${schema.type}.rpc.${name}: the schema has no such RPC for clients`)
    }
    demandFunction(schema.type, `rpc.${name}`, handler)
  }
  for (const { name } of schema.rpc.client.list) {
    if (!Object.hasOwn(rpc, name)) throw new Error(`${schema.type}.rpc.${name}: has no handler`)
  }
  demandPhysics(schema, handlers.physics)
  demandSharing(schema, handlers.sharing)
  const stored = withHidden(schema, handlers.hidden ?? {})
  const rules = rulesOf(schema, handlers.visible ?? {})
  return {
    [RoomBrand]: true,
    schema,
    handlers,
    ...(stored === schema ? {} : { stored }),
    ...(rules.size === 0 ? {} : { rules })
  }
}

/** Tells whether a value was made by {@link defineRoom}. */
export const isRoomDefinition = (value: unknown): value is RoomDefinition =>
  typeof value === "object" && value !== null && RoomBrand in value

/** The keys of a room whose value is no function; each of them has its own check. */
const Groups: ReadonlySet<string> = new Set([
  "hidden",
  "visible",
  "onMessage",
  "rpc",
  "physics",
  "sharing"
])

const HandlerNames: ReadonlySet<string> = new Set([
  "hidden",
  "visible",
  "physics",
  "sharing",
  "onAuth",
  "onCreate",
  "onJoin",
  "onDrop",
  "onReconnect",
  "onLeave",
  "onMessage",
  "rpc",
  "onTick",
  "onAlarm",
  "onDispose"
] satisfies ReadonlyArray<keyof RoomHandlers<AnyRoomSchema>>)

/** A declaration without a world, or a world without a declaration, would show only when the room runs. */
const demandPhysics = (schema: AnyRoomSchema, engine: unknown): void => {
  const at = `${schema.type}.physics`
  if (schema.physics === null && engine !== undefined) {
    throw new Error(`${at}: the schema declares no physics`)
  }
  if (schema.physics === null) return
  if (engine === undefined) {
    throw new Error(`${at}: the schema declares physics: give what physics() of the SDK makes`)
  }
  if (typeof engine !== "object" || engine === null || !(PhysicsBrand in engine)) {
    throw new Error(`${at}: is not what physics() of @atrium/sdk/physics makes`)
  }
  if (Reflect.get(engine, "schema") !== schema) {
    throw new Error(`${at}: was made for another schema`)
  }
}

/** The ceilings of other classes, and compiled WebAssembly, are too much to answer for together. Source: C-970. */
const demandSharing = (schema: AnyRoomSchema, sharing: unknown): void => {
  const at = `${schema.type}.sharing`
  if (sharing !== undefined && typeof sharing !== "boolean") {
    throw new Error(`${at}: is neither true nor false`)
  }
  if (sharing !== true) return
  if (schema.class !== "standard") {
    throw new Error(`${at}: rooms of the class ${schema.class} have a process each`)
  }
  if (schema.physics !== null) throw new Error(`${at}: rooms with physics have a process each`)
}

const demandFunction = (type: string, name: string, handler: unknown): void => {
  if (handler !== undefined && typeof handler !== "function") {
    throw new Error(`${type}.${name}: is not a function`)
  }
}
