import { Presence } from "@atrium/actors/presence/Presence"
import { PresenceApi } from "@atrium/domain/presence/PresenceApi"

import { defineFeature } from "../defineFeature.ts"
import { PresenceHandlers, presenceReadRate, presenceWatchRate } from "./presence.ts"

export const feature = defineFeature({
  noun: "presence",
  contract: [PresenceApi],
  handlers: PresenceHandlers,
  layers: Presence.layer,
  rates: [presenceReadRate, presenceWatchRate]
})
