import { identityTables } from "@atrium/actors/identity/IdentityTables"
import { IdentityApi } from "@atrium/domain/identity/IdentityApi"
import { IdentityProvidersApi } from "@atrium/domain/identity/IdentityProvidersApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { Assertions } from "./Assertions.ts"
import { assertionRate, IdentityHandlers, identityRate } from "./identity.ts"
import { IdentityProvidersHandlers } from "./providers.ts"

export const feature = defineFeature({
  noun: "identity",
  contract: [IdentityApi, IdentityProvidersApi],
  handlers: Layer.merge(IdentityHandlers, IdentityProvidersHandlers),
  layers: Assertions.layer,
  rates: [identityRate, assertionRate],
  tables: identityTables
})
