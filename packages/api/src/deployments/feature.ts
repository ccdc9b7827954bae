import { deploymentTables } from "@atrium/actors/deployments/DeploymentTables"
import { OldVersions } from "@atrium/actors/deployments/OldVersions"

import { defineFeature } from "../defineFeature.ts"
import { DeployTurns } from "./DeployTurns.ts"

export const feature = defineFeature({
  noun: "deployments",
  layers: DeployTurns,
  tables: deploymentTables,
  actors: OldVersions
})
