import { RatingSweep } from "@atrium/actors/ratings/RatingSweep"
import { ratingTables } from "@atrium/actors/ratings/RatingTables"

import { defineFeature } from "../defineFeature.ts"
import { ratingCalls } from "./ratings.ts"

export const feature = defineFeature({
  noun: "ratings",
  tables: ratingTables,
  calls: ratingCalls,
  actors: RatingSweep
})
