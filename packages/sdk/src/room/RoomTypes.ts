import { describe } from "../schema/Describe.ts"
import type { SchemaDescriptor } from "../schema/Descriptor.ts"
import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { schemaHash } from "../schema/SchemaHash.ts"

/** One room type of a bundle, as a deployment stores it. */
export interface RoomTypeDescriptor {
  readonly type: string
  readonly class: SchemaDescriptor["class"]
  readonly maxClients: number
  readonly tickHz: number
  readonly hibernateAfterMs: number
  readonly reconnectForMs: number
  readonly retention: string | null
  readonly schema: SchemaDescriptor
  readonly schemaHash: string
}

export const roomTypeOf = (schema: AnyRoomSchema): RoomTypeDescriptor => {
  const { type, maxClients, tickHz, hibernateAfterMs, reconnectForMs, retention } = schema
  return {
    type,
    class: schema.class,
    maxClients,
    tickHz,
    hibernateAfterMs,
    reconnectForMs,
    retention,
    schema: describe(schema),
    schemaHash: schemaHash(schema)
  }
}
