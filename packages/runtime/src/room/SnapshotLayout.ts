import type { SchemaDescriptor } from "@atrium/wire/schema/Descriptor"
import { fromDescriptor } from "@atrium/wire/schema/FromDescriptor"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"

import type { RoomSnapshot } from "./SnapshotFile.ts"

/** What a snapshot says of its layout: nothing where there is no hidden state. */
export const layoutOf = (
  schema: AnyRoomSchema,
  stored: AnyRoomSchema
): Pick<RoomSnapshot, "layout"> => (stored === schema ? {} : { layout: schemaHash(stored) })

/**
 * Throws an `Error` when a snapshot is of another layout than the service says: a service of an older version does
 * not know of hidden state, and the bytes must not be read as something that they are not.
 *
 * @param descriptor the layout that the service says; `null` = that of the code
 */
export const demandLayout = (
  { layout }: RoomSnapshot,
  code: { readonly schema: AnyRoomSchema; readonly stored: AnyRoomSchema },
  descriptor: SchemaDescriptor | null
): void => {
  // A snapshot without hidden state does not name its layout.
  const isOther =
    descriptor === null
      ? layout !== layoutOf(code.schema, code.stored).layout
      : layout !== undefined && layout !== schemaHash(fromDescriptor(descriptor))
  if (isOther) throw new Error("the stored state is not of the schema that it is read with")
}
