import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { Effect, Layer } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import { DeletedProjects } from "../projects/DeletedProjects.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { LogTail } from "./LogTail.ts"

/**
 * Forgets the lines of deleted projects, on every runner. A room of such a project may log until it is
 * ended: the next look forgets that, too. Source: C-402.
 */
export const LogForgetting = Layer.effectDiscard(
  Effect.gen(function* () {
    const tail = yield* LogTail
    const deleted = yield* DeletedProjects
    const look = Effect.gen(function* () {
      const projects = tail.projects()
      if (projects.length === 0) return
      for (const projectId of yield* deleted.among(projects)) tail.forget(projectId)
    })
    yield* look.pipe(
      logFailure("the log of a deleted project stays in memory", Effect.logWarning),
      lookEvery(ProjectLimits.purgeLook.ms),
      Effect.forkScoped
    )
  })
)
