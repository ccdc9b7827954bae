import type { ProjectRow, ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"

/** The project that a request names; no credential tells who may know of it. Source: D-26. */
export const projectThere = (
  projects: ProjectStore["Service"],
  projectId: string
): Effect.Effect<ProjectRow, NotFound> =>
  Effect.flatMap(
    projects.find(projectId),
    Option.match({
      onNone: () => Effect.fail(new NotFound()),
      onSome: (row) => Effect.succeed(row)
    })
  )
