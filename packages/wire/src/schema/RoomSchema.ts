import type { RoomClass } from "../rooms/RoomClass.ts"
import type { PhysicsDefinition, SchemaDefinition, VoiceDefinition } from "./Definition.ts"
import type { FieldList } from "./Field.ts"

export type { FieldList, NamedField } from "./Field.ts"

/** A singleton or a collection's entity. `index` is its place among its kind. */
export interface StateShape {
  readonly name: string
  readonly index: number
  readonly fields: FieldList
}

/** A message. `fields` is `null` when it is untyped. */
export interface MessageShape {
  readonly name: string
  readonly index: number
  readonly fields: FieldList | null
}

/** An RPC. `args` and `returns` are `null` when untyped. */
export interface RpcShape {
  readonly name: string
  readonly index: number
  readonly args: FieldList | null
  readonly returns: FieldList | null
  readonly durable: boolean
}

/** Shapes in wire order, and by name. */
export interface Shapes<T> {
  readonly list: ReadonlyArray<T>
  readonly byName: ReadonlyMap<string, T>
}

/** How much footage a room holds, and how long its clips are kept: a duration. */
export interface ReplaySettings {
  readonly seconds: number
  readonly ttl: string
}

/** One room type at run time, made by `defineSchema` or `fromDescriptor`. Immutable. */
export interface RoomSchema<out D extends SchemaDefinition> {
  readonly type: string
  readonly class: RoomClass
  readonly maxClients: number
  readonly tickHz: number
  readonly hibernateAfterMs: number
  readonly reconnectForMs: number
  /** A duration; `null`: the state is never removed. */
  readonly retention: string | null
  /** The queue of quick match that the room type plays. */
  readonly queue: string | null
  /** `null`: rooms of the type have no calls. */
  readonly voice: VoiceDefinition | null
  /** `null`: rooms record nothing. */
  readonly replay: ReplaySettings | null
  /** `null`: rooms have no physics world. */
  readonly physics: Required<PhysicsDefinition> | null
  readonly project: string | null
  readonly singletons: Shapes<StateShape>
  readonly collections: Shapes<StateShape>
  readonly messages: Shapes<MessageShape>
  readonly rpc: { readonly client: Shapes<RpcShape>; readonly server: Shapes<RpcShape> }
  readonly player: FieldList
  /** Never there at run time: carries the definition for inference. */
  readonly "~definition"?: D
}

/** A schema of any room type. */
export type AnyRoomSchema = RoomSchema<SchemaDefinition>
