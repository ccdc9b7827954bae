import { KvAccess } from "@atrium/actors/kv/KvAccess"
import { kvTables } from "@atrium/actors/kv/KvTables"
import { KvApi } from "@atrium/domain/kv/KvApi"

import { defineFeature } from "../defineFeature.ts"
import { kvCalls, KvHandlers } from "./kv.ts"

export const feature = defineFeature({
  noun: "kv",
  contract: [KvApi],
  handlers: KvHandlers,
  tables: kvTables,
  calls: kvCalls,
  layers: KvAccess.layer
})
