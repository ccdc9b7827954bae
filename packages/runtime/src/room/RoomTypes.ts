import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { describe } from "@atrium/wire/schema/Describe"
import type { SchemaDescriptor } from "@atrium/wire/schema/Descriptor"
import { describeHidden, type HiddenDescriptor } from "@atrium/wire/schema/HiddenState"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { SchemaError } from "@atrium/wire/schema/SchemaError"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"

import type { MigrationDescriptor } from "../migrations/DescribeMigrations.ts"

/** The physics of a room type. */
export interface PhysicsDescriptor {
  readonly dimensions: 2 | 3
  readonly history: number
  /** The library and its version, such as `rapier3d 0.21.0`; absent = a relay room, or an older bundle. */
  readonly engine?: string
}

/** One room type of a bundle, as a deployment stores it. */
export interface RoomTypeDescriptor {
  readonly type: string
  readonly class: SchemaDescriptor["class"]
  readonly maxClients: number
  readonly tickHz: number
  readonly hibernateAfterMs: number
  readonly reconnectForMs: number
  readonly retention: string | null
  /** Absent = the room type plays no queue. Source: D-54. */
  readonly queue?: string
  /** Absent = its rooms record nothing. Source: D-44. */
  readonly replay?: { readonly seconds: number; readonly ttl: string }
  /** Absent = its rooms have no physics world. */
  readonly physics?: PhysicsDescriptor
  /** Its rooms share processes; absent = each has its own. Source: D-55. */
  readonly sharing?: true
  readonly schema: SchemaDescriptor
  readonly schemaHash: string
  /** What is stored of its rooms beside the state that clients know; absent = nothing. */
  readonly hidden?: HiddenDescriptor
}

/** The exports of a bundle: rooms, or schemas alone, whose rooms run no code. Source: D-24. */
export interface BundleDescriptor {
  readonly relay: boolean
  readonly types: ReadonlyArray<RoomTypeDescriptor>
  /** Changes that its migrations make; absent = none. */
  readonly migrations?: ReadonlyArray<MigrationDescriptor>
}

/** @param stored the schema of all that its rooms store, if that is more than clients know */
export const roomTypeOf = (
  schema: AnyRoomSchema,
  stored: AnyRoomSchema = schema
): RoomTypeDescriptor => {
  const hidden = describeHidden(schema, stored)
  const { type, maxClients, tickHz, hibernateAfterMs, reconnectForMs } = schema
  const { retention, queue, replay, physics } = schema
  return {
    type,
    class: schema.class,
    maxClients,
    tickHz,
    hibernateAfterMs,
    reconnectForMs,
    retention,
    ...(queue === null ? {} : { queue }),
    ...(replay === null ? {} : { replay }),
    ...(physics === null ? {} : { physics }),
    schema: describe(schema),
    schemaHash: schemaHash(schema),
    ...(hidden === null ? {} : { hidden })
  }
}

/** Tells whether a value was made by `defineSchema`, of whatever copy of the SDK. */
export const isRoomSchema = (value: unknown): value is AnyRoomSchema => {
  if (typeof value !== "object" || value === null) return false
  const parts = ["singletons", "collections", "messages"].map((part) => partOf(value, part))
  const rpc = partOf(value, "rpc")
  return (
    typeof Reflect.get(value, "type") === "string" &&
    [...parts, partOf(rpc, "client"), partOf(rpc, "server")].every((part) =>
      Array.isArray(Reflect.get(part, "list"))
    )
  )
}

const partOf = (value: object, name: string): object => {
  const part: unknown = Reflect.get(value, name)
  return typeof part === "object" && part !== null ? part : {}
}

/**
 * Errors: `SchemaError` for a type with a replay or with physics, as a relay room has no code that could make a clip, or
 * step a world. C-820, C-860.
 *
 * A relay room ends with its last client: there is no code that would go on without them. It takes
 * as many players as a relay room takes at most. Spec: Connection and room limits.
 */
export const relayTypeOf = (schema: AnyRoomSchema): RoomTypeDescriptor => {
  if (schema.replay !== null) {
    throw new SchemaError(`${schema.type}: replay: a relay room records nothing, as it has no code`)
  }
  if (schema.physics !== null) {
    throw new SchemaError(`${schema.type}: physics: a relay room has no world, as it has no code`)
  }
  return {
    ...roomTypeOf(schema),
    maxClients: Math.min(schema.maxClients, RuntimeLimits.relayPlayers.max),
    hibernateAfterMs: 0
  }
}
