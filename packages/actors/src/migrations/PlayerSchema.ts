import type { NamedFieldDescriptor } from "@atrium/wire/schema"
import { playerDifference } from "@atrium/wire/schema/PartDifference"
import { playerHash, playerUnion, playerUnionFields } from "@atrium/wire/schema/PlayerUnion"

import type { VersionTypes } from "../deployments/RoomMover.ts"
import { storedSchema } from "../deployments/StoredSchema.ts"

/** The persisted fields of players of a version, and their name. */
export interface PlayerSchema {
  readonly hash: string
  readonly fields: ReadonlyArray<NamedFieldDescriptor>
}

/** All room types of a version store the fields of a player together. Source: C-59, C-707. */
export const playersOf = ({ roomTypes }: Pick<VersionTypes, "roomTypes">): PlayerSchema => {
  const fields = playerUnion(roomTypes.map((deployed) => storedSchema(deployed).descriptor))
  return { hash: playerHash(fields), fields }
}

/** The first difference that stored players cannot bridge by name; `null` = none. */
export const playersDiffer = (old: PlayerSchema, next: PlayerSchema): string | null =>
  old.hash === next.hash
    ? null
    : playerDifference(playerUnionFields(old.fields), playerUnionFields(next.fields))
