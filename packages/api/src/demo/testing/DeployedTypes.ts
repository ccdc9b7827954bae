import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"

const declaring = (type: string) => ({
  type,
  class: "standard" as const,
  maxClients: 4,
  tickHz: 0,
  retention: null,
  hibernateAfterMs: 30_000,
  reconnectForMs: 20_000,
  schemaHash: "0".repeat(16),
  schema: { type }
})

/** Makes a version of a project with rooms of these types; nobody can start them. */
export const deployTypes = (projectId: ProjectId, names: ReadonlyArray<string>) =>
  Effect.flatMap(DeploymentStore, (deployments) =>
    deployments.add(
      projectId,
      { bundle: new Uint8Array(1), roomTypes: names.map(declaring) },
      () => null
    )
  )
