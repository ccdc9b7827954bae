import type { ProjectId } from "@atrium/domain/shared/Ids"
import { AudienceDisabled } from "@atrium/domain/shared/Refusal"
import { Context, Effect, Layer, Option } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { type ProjectRow, ProjectStore } from "../projects/ProjectStore.ts"

/** A project whose rooms may be watched, and what their viewers are. */
export interface Audience {
  readonly projectId: ProjectId
  readonly role: string
}

/** The projects whose rooms may be watched: relay projects that have a role for it. Source: D-29, C-121. */
export class Audiences extends Context.Service<
  Audiences,
  {
    /** A failing store is a defect. */
    of(project: ProjectRow): Effect.Effect<Audience, AudienceDisabled>
    /** The role of the viewers of a project; `null` = nobody may watch, or there is no such project. */
    roleOf(projectId: string): Effect.Effect<string | null>
  }
>()("@atrium/actors/rooms/Audiences") {
  static readonly layer = Layer.effect(
    Audiences,
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const deployments = yield* DeploymentStore
      const of = Effect.fn("Audiences.of")(function* (project: ProjectRow) {
        const { projectId, audienceRole: role, currentVersion: version } = project
        if (role === null || version === null) return yield* new AudienceDisabled()
        const deployment = yield* deployments.find(projectId, version)
        const isRelay = Option.exists(deployment, ({ relay }) => relay)
        return isRelay ? { projectId, role } : yield* new AudienceDisabled()
      })
      const roleOf = Effect.fn("Audiences.roleOf")(function* (projectId: string) {
        const project = Option.getOrNull(yield* projects.find(projectId))
        if (project === null) return null
        return yield* of(project).pipe(
          Effect.map(({ role }) => role),
          Effect.catch(() => Effect.succeed(null))
        )
      })
      return { of, roleOf }
    })
  )
}
