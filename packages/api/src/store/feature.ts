import { storeTables } from "@atrium/actors/store/StoreTables"

import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "store",
  tables: storeTables
})
