import { defineFeature } from "../defineFeature.ts"
import { HealthPage, ReadyPage } from "./HealthPages.ts"

export const feature = defineFeature({
  noun: "health",
  control: [() => import("./ListenerHooks.ts")],
  pages: [HealthPage, ReadyPage]
})
