import { LifeSweep } from "@atrium/actors/life/LifeSweep"
import { lifeTables } from "@atrium/actors/life/LifeTables"
import { LifeApi } from "@atrium/domain/life/LifeApi"

import { defineFeature } from "../defineFeature.ts"
import { LifeHandlers } from "./life.ts"

export const feature = defineFeature({
  noun: "life",
  contract: [LifeApi],
  handlers: LifeHandlers,
  tables: lifeTables,
  actors: LifeSweep
})
