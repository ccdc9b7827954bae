import { ClockFollower } from "@atrium/actors/clock/ClockFollower"

import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "clock",
  control: [() => import("./ClockHooks.ts")],
  actors: ClockFollower
})
