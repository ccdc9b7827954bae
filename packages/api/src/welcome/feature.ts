import { defineFeature } from "../defineFeature.ts"
import { FirstPage } from "./FirstPage.ts"

export const feature = defineFeature({
  noun: "welcome",
  pages: [FirstPage]
})
