import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { schemaDifference } from "@atrium/wire/schema/SchemaDifference"

/** What a client's schema has and the room's own lacks, as a sentence; `null` = nothing: the room may have more. */
export const missingIn = (schema: AnyRoomSchema, room: AnyRoomSchema): string | null =>
  schemaDifference(schema, room, (path, known, field) =>
    field.readAs(known) ? null : `${path} has another type`
  )
