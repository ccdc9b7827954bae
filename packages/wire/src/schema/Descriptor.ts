import type { RoomClass } from "../rooms/RoomClass.ts"
import type { PhysicsDefinition, VoiceDefinition } from "./Definition.ts"

/**
 * The least version of a reader that knows all kinds of a descriptor: 2 with a struct, a map, an optional or
 * a list of lists in it, else 1. An older reader refuses it by the format.
 */
export type DescriptorFormat = 1 | 2

/** One field as plain JSON. `bytes` defaults are hexadecimal text. */
export interface FieldDescriptor {
  readonly kind: string
  readonly min?: number
  readonly max?: number
  readonly step?: number
  readonly maxBytes?: number
  readonly choices?: ReadonlyArray<string>
  readonly collection?: string
  readonly of?: FieldDescriptor
  readonly maxLength?: number
  readonly key?: FieldDescriptor
  readonly value?: FieldDescriptor
  readonly maxEntries?: number
  readonly default?: unknown
  readonly fields?: ReadonlyArray<NamedFieldDescriptor>
}

/** A field with its name, as plain JSON. */
export interface NamedFieldDescriptor extends FieldDescriptor {
  readonly name: string
}

/** An entity or a singleton as plain JSON. */
export interface ShapeDescriptor {
  readonly name: string
  readonly fields: ReadonlyArray<NamedFieldDescriptor>
}

/** A message as plain JSON. `fields` absent = untyped. */
export interface MessageDescriptor {
  readonly name: string
  readonly fields?: ReadonlyArray<NamedFieldDescriptor>
}

/** An RPC as plain JSON. `args`, `returns`: absent = no fields, `"untyped"` = any msgpack value. */
export interface RpcDescriptor {
  readonly name: string
  readonly args?: ReadonlyArray<NamedFieldDescriptor> | "untyped"
  readonly returns?: ReadonlyArray<NamedFieldDescriptor> | "untyped"
  readonly durable?: true
}

/** A schema as plain JSON: all that a client in another language needs to decode a room. */
export interface SchemaDescriptor {
  readonly format: DescriptorFormat
  readonly type: string
  readonly class: RoomClass
  readonly maxClients: number
  readonly tickHz: number
  readonly hibernateAfterMs: number
  readonly reconnectForMs: number
  readonly retention: string | null
  /** Absent = the room type plays no queue. */
  readonly queue?: string
  /** Absent = the room type has no calls. */
  readonly voice?: VoiceDefinition
  /** Absent = rooms record nothing. */
  readonly replay?: { readonly seconds: number; readonly ttl: string }
  /** Absent = rooms have no physics world. */
  readonly physics?: Required<PhysicsDefinition>
  readonly project: string | null
  readonly singletons: ReadonlyArray<ShapeDescriptor>
  readonly entities: ReadonlyArray<ShapeDescriptor>
  readonly messages: ReadonlyArray<MessageDescriptor>
  readonly rpc: {
    readonly client: ReadonlyArray<RpcDescriptor>
    readonly server: ReadonlyArray<RpcDescriptor>
  }
  readonly player: ReadonlyArray<NamedFieldDescriptor>
}
