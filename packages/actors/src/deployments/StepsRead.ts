import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"

import type { StepOfVersion } from "../migrations/VersionStep.ts"
import { RecentlyRead } from "../store/RecentlyRead.ts"

interface Read {
  readonly upTo: number
  readonly steps: ReadonlyArray<StepOfVersion>
}

/** Reads the steps of a project's versions up to one, ascending. Versions never change: what was read is kept. */
export const stepsFrom = (
  read: (projectId: ProjectId, upTo: number) => Effect.Effect<ReadonlyArray<StepOfVersion>>
) => {
  const projects = new RecentlyRead<Read>({
    weightMax: DeploymentLimits.deploymentsRead.max,
    weightOf: () => 1
  })
  return Effect.fn("DeploymentStore.steps")(function* (projectId: ProjectId, upTo: number) {
    const known = projects.get(projectId)
    if (known !== undefined && known.upTo >= upTo) {
      return known.steps.filter(({ version }) => version <= upTo)
    }
    const steps = yield* read(projectId, upTo)
    projects.set(projectId, { upTo, steps })
    return steps
  })
}
