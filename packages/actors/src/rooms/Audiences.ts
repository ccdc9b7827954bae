import type { ProjectId } from "@atrium/domain/shared/Ids"
import { AudienceDisabled, NotFound } from "@atrium/domain/shared/Refusal"
import { Context, Effect, Layer, Option } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"

/** A project whose rooms may be watched, and what their viewers are. */
export interface Audience {
  readonly projectId: ProjectId
  readonly role: string
}

/** Whose rooms may be watched: those of relay projects that have a role for it. Source: D-29, C-121. */
export class Audiences extends Context.Service<
  Audiences,
  {
    /** A failing store is a defect. */
    of(projectId: string): Effect.Effect<Audience, NotFound | AudienceDisabled>
  }
>()("@atrium/actors/rooms/Audiences") {
  static readonly layer = Layer.effect(
    Audiences,
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const deployments = yield* DeploymentStore
      return {
        of: Effect.fn("Audiences.of")(function* (id: string) {
          const project = Option.getOrNull(yield* projects.find(id))
          if (project === null) return yield* new NotFound()
          const { projectId, audienceRole: role, currentVersion: version } = project
          if (role === null || version === null) return yield* new AudienceDisabled()
          const deployment = yield* deployments.find(projectId, version)
          const isRelay = Option.exists(deployment, ({ relay }) => relay)
          return isRelay ? { projectId, role } : yield* new AudienceDisabled()
        })
      }
    })
  )
}
