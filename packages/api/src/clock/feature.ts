import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "clock",
  control: [() => import("./ClockHooks.ts")]
})
