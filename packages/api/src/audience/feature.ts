import { Audiences } from "@atrium/actors/rooms/Audiences"
import { AudienceApi } from "@atrium/domain/audience/AudienceApi"

import { defineFeature } from "../defineFeature.ts"
import { AudienceHandlers, audienceRate } from "./audience.ts"

export const feature = defineFeature({
  noun: "audience",
  contract: [AudienceApi],
  handlers: AudienceHandlers,
  layers: Audiences.layer,
  rates: [audienceRate]
})
