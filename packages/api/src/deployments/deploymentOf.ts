import type { DeploymentRow } from "@atrium/actors/deployments/DeploymentStore"
import type { Deployment } from "@atrium/domain/deployments/DeploymentsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"

/** A version as the API shows it. */
export const deploymentOf = (row: DeploymentRow): Deployment => ({
  version: row.version,
  bytes: row.bytes,
  createdAt: isoOf(row.createdAtMs),
  roomTypes: row.roomTypes.map(({ type, class: roomClass, maxClients, schemaHash }) => ({
    type,
    class: roomClass,
    maxClients,
    schemaHash
  })),
  relay: row.relay,
  rollbackOf: row.rollbackOf
})
