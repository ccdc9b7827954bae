import { Branches } from "@atrium/actors/branches/Branches"
import { BranchesApi } from "@atrium/domain/branches/BranchesApi"

import { defineFeature } from "../defineFeature.ts"
import { BranchesHandlers } from "./branches.ts"

export const feature = defineFeature({
  noun: "branches",
  contract: [BranchesApi],
  handlers: BranchesHandlers,
  layers: Branches.layer
})
