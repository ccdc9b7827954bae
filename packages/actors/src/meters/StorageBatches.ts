import type { CapWall } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"

import type { CapWalls } from "./CapWalls.ts"

/** Performs a batch of a project, with an outcome for each of its calls. */
type Perform<Call, Outcome> = (
  projectId: ProjectId,
  calls: ReadonlyArray<Call>
) => Effect.Effect<ReadonlyArray<Outcome>>

/** The wall of storage is read once for a batch of writes; at the wall every write meets it, and none is stored. */
export const withinStorage =
  <Call, Outcome>(
    walls: CapWalls["Service"],
    perform: Perform<Call, Outcome>
  ): Perform<Call, Outcome | CapWall> =>
  (projectId, calls) =>
    Effect.flatMap(
      walls.of(projectId, ["storageBytes"]),
      (wall): Effect.Effect<ReadonlyArray<Outcome | CapWall>> =>
        wall === null ? perform(projectId, calls) : Effect.succeed(calls.map(() => wall))
    )
