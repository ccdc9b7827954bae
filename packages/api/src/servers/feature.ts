import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "servers",
  control: [() => import("./ServerHooks.ts"), () => import("./MemoryHooks.ts")]
})
