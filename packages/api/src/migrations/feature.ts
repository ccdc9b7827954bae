import { migrationTables } from "@atrium/actors/migrations/MigrationTables"
import { Rehearsals } from "@atrium/actors/migrations/Rehearsals"
import { RehearsalsApi } from "@atrium/domain/migrations/RehearsalsApi"

import { defineFeature } from "../defineFeature.ts"
import { RehearsalsHandlers } from "./rehearsals.ts"

export const feature = defineFeature({
  noun: "migrations",
  contract: [RehearsalsApi],
  handlers: RehearsalsHandlers,
  tables: migrationTables,
  actors: Rehearsals
})
