import { Clips } from "@atrium/actors/replay/Clips"
import { ReplaySweep } from "@atrium/actors/replay/ReplaySweep"
import { replayTables } from "@atrium/actors/replay/ReplayTables"
import { ReplaysApi, WatchApi } from "@atrium/domain/replay/ReplaysApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { PlainChunks } from "./PlainChunks.ts"
import { replayCalls } from "./replayCalls.ts"
import { ReplaysHandlers } from "./replays.ts"
import { WatchHandlers, watchRate } from "./watch.ts"

export const feature = defineFeature({
  noun: "replay",
  contract: [WatchApi, ReplaysApi],
  handlers: Layer.merge(WatchHandlers, ReplaysHandlers),
  rates: [watchRate],
  tables: replayTables,
  calls: replayCalls,
  layers: Layer.merge(Clips.layer, PlainChunks.layer),
  actors: ReplaySweep
})
