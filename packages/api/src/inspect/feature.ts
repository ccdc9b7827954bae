import { RoomStates } from "@atrium/actors/inspect/RoomStates"
import { InspectApi } from "@atrium/domain/inspect/InspectApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { InspectHandlers } from "./inspect.ts"
import { RoomClients } from "./RoomClients.ts"
import { RoomClocks } from "./RoomClocks.ts"

export const feature = defineFeature({
  noun: "inspect",
  contract: [InspectApi],
  handlers: InspectHandlers,
  layers: Layer.mergeAll(RoomStates.layer, RoomClients.layer, RoomClocks.layer)
})
