import type { NamedFieldDescriptor, SchemaDescriptor } from "./Descriptor.ts"
import { fnv1a64 } from "./Fnv1a64.ts"
import { fieldsOfDescriptors } from "./FromDescriptor.ts"
import type { FieldList } from "./RoomSchema.ts"

/**
 * The persisted fields of players that some room types declare, all of which are stored together. Of types
 * that declare the same name in different ways, the first one by name counts.
 */
export const playerUnion = (
  schemas: ReadonlyArray<Pick<SchemaDescriptor, "type" | "player">>
): ReadonlyArray<NamedFieldDescriptor> => {
  const fields = new Map<string, NamedFieldDescriptor>()
  const ordered = schemas.toSorted((one, other) => (one.type < other.type ? -1 : 1))
  for (const field of ordered.flatMap(({ player }) => player)) {
    if (!fields.has(field.name)) fields.set(field.name, field)
  }
  return [...fields.values()]
}

/** Names such a union, as `schemaHash` names a layout. */
export const playerHash = (fields: ReadonlyArray<NamedFieldDescriptor>): string =>
  fnv1a64(new TextEncoder().encode(JSON.stringify(fields)))

/** The fields of a union. Errors: `SchemaError`. */
export const playerUnionFields = (fields: ReadonlyArray<NamedFieldDescriptor>): FieldList =>
  fieldsOfDescriptors("player", fields)
