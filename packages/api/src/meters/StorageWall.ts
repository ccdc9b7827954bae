import { CapWalls } from "@atrium/actors/meters/CapWalls"
import { wallText } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { CapReached } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"

import { notBegun } from "../http/NotBegun.ts"

/** Refuses what would store more of a project that is at its storage wall. Source: D-45. */
export const makeStorageWall = Effect.map(
  CapWalls,
  (walls) => (projectId: ProjectId) =>
    Effect.flatMap(walls.of(projectId, ["storageBytes"]), (wall) =>
      wall === null
        ? Effect.void
        : Effect.fail(notBegun(new CapReached({ message: wallText(wall) })))
    )
)
