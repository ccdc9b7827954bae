import { AuditSweep } from "@atrium/actors/audit/AuditSweep"
import { auditTables } from "@atrium/actors/audit/AuditTables"
import { AuditApi } from "@atrium/domain/audit/AuditApi"

import { defineFeature } from "../defineFeature.ts"
import { AuditHandlers } from "./audit.ts"

export const feature = defineFeature({
  noun: "audit",
  contract: [AuditApi],
  handlers: AuditHandlers,
  tables: auditTables,
  actors: AuditSweep
})
