import { defineFeature } from "../defineFeature.ts"
import { Games } from "./Games.ts"
import { PlayPages } from "./PlayPages.ts"

export const feature = defineFeature({
  noun: "demo",
  pages: PlayPages,
  layers: Games.layer
})
