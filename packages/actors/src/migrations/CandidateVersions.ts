import { Effect, Option } from "effect"

import type { DeploymentRow } from "../deployments/DeploymentRow.ts"
import type { DeploymentStore } from "../deployments/DeploymentStore.ts"

/** A version that is not deployed, and its bundle. */
export interface CandidateVersion {
  readonly row: DeploymentRow
  readonly bundle: Uint8Array
}

/** The deployments as they would be with one version more, which is the newest of its project. Nothing is stored. */
export const withCandidate = (
  deployments: DeploymentStore["Service"],
  { row, bundle }: CandidateVersion
): DeploymentStore["Service"] => {
  const isIt = (projectId: string, version: number): boolean =>
    projectId === row.projectId && version === row.version
  return {
    ...deployments,
    find: (projectId, version) =>
      isIt(projectId, version)
        ? Effect.succeed(Option.some(row))
        : deployments.find(projectId, version),
    steps: (projectId, upTo) => {
      const { version, step } = row
      if (projectId !== row.projectId || upTo < version) return deployments.steps(projectId, upTo)
      return Effect.map(deployments.steps(projectId, version - 1), (steps) =>
        step === null ? steps : [...steps, { version, step }]
      )
    },
    bundle: (projectId, version) =>
      isIt(projectId, version) ? Effect.succeed(bundle) : deployments.bundle(projectId, version)
  }
}
