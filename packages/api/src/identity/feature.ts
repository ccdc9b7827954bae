import { identityTables } from "@atrium/actors/identity/IdentityTables"
import { IdentityApi } from "@atrium/domain/identity/IdentityApi"

import { defineFeature } from "../defineFeature.ts"
import { IdentityHandlers, identityRate } from "./identity.ts"

export const feature = defineFeature({
  noun: "identity",
  contract: [IdentityApi],
  handlers: IdentityHandlers,
  rates: [identityRate],
  tables: identityTables
})
