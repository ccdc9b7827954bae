import { defineFeature } from "../defineFeature.ts"
import { ConsoleFiles } from "./ConsoleFiles.ts"
import { ConsolePages } from "./ConsolePages.ts"

export const feature = defineFeature({
  noun: "console",
  pages: ConsolePages,
  layers: ConsoleFiles.layer
})
