import { deploymentTables } from "@atrium/actors/deployments/DeploymentTables"
import { OldVersions } from "@atrium/actors/deployments/OldVersions"
import { DeploymentsApi } from "@atrium/domain/deployments/DeploymentsApi"

import { defineFeature } from "../defineFeature.ts"
import { DeploymentsHandlers } from "./deployments.ts"
import { DeployTurns } from "./DeployTurns.ts"

export const feature = defineFeature({
  noun: "deployments",
  contract: [DeploymentsApi],
  handlers: DeploymentsHandlers,
  layers: DeployTurns,
  tables: deploymentTables,
  actors: OldVersions
})
