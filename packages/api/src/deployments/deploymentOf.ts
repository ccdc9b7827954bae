import type { DeploymentRow } from "@atrium/actors/deployments/DeploymentRow"
import { storedSchema } from "@atrium/actors/deployments/StoredSchema"
import { playersOf } from "@atrium/actors/migrations/PlayerSchema"
import type { Deployment, DeploymentRead } from "@atrium/domain/deployments/DeploymentsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import type { Schema } from "effect"

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
  rollbackOf: row.rollbackOf,
  ...stepOf(row)
})

/** The same, with the schemas by which its rooms and players are stored. */
export const withSchemas = (row: DeploymentRow): DeploymentRead => {
  const schemas = row.roomTypes.map((deployed) => {
    const { hash, descriptor } = storedSchema(deployed)
    return { type: deployed.type, hash, schema: plain(descriptor) }
  })
  const { hash, fields } = playersOf(row)
  return { ...deploymentOf(row), schemas, players: { hash, fields: fields.map(plain) } }
}

const plain = (descriptor: object): Schema.Json =>
  // A descriptor is JSON by its form, which its type does not say.
  descriptor as Schema.Json

const stepOf = ({
  step
}: DeploymentRow): Pick<Deployment, "strategy" | "discards" | "quarantine"> => ({
  ...(step?.strategy === "drain" ? { strategy: "drain" } : {}),
  ...(step?.discards === true ? { discards: true } : {}),
  ...(step?.quarantine === true ? { quarantine: true } : {})
})
