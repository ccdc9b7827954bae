import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "objects",
  control: [() => import("./StorageHooks.ts")]
})
