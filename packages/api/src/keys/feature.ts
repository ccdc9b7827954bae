import { ApiKeyEntity } from "@atrium/actors/keys/ApiKeyEntity"
import { keyTables } from "@atrium/actors/keys/KeyTables"
import { KeysApi } from "@atrium/domain/keys/KeysApi"

import { defineFeature } from "../defineFeature.ts"
import { KeysHandlers } from "./keys.ts"

export const feature = defineFeature({
  noun: "keys",
  contract: [KeysApi],
  handlers: KeysHandlers,
  tables: keyTables,
  actors: ApiKeyEntity
})
