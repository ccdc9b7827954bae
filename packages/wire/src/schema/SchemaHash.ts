import { describeLayout } from "./Describe.ts"
import { fnv1a64 } from "./Fnv1a64.ts"
import type { AnyRoomSchema } from "./RoomSchema.ts"

const known = new WeakMap<AnyRoomSchema, string>()

/**
 * Names a layout: 16 hex characters over the names, order, kinds, bounds and defaults of all
 * shapes. Defaults count because a new entity is sent without the fields that have theirs. Size
 * class, ticks, waits and `durable` do not: they change no byte on the wire. Source: D-24.
 */
export const schemaHash = (schema: AnyRoomSchema): string => {
  const before = known.get(schema)
  if (before !== undefined) return before
  const hash = fnv1a64(new TextEncoder().encode(JSON.stringify(describeLayout(schema))))
  known.set(schema, hash)
  return hash
}
