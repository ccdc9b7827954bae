import { Branches } from "@atrium/actors/branches/Branches"
import { TestPlayersApi } from "@atrium/domain/testPlayers/TestPlayersApi"

import { defineFeature } from "../defineFeature.ts"
import { TestPlayersHandlers } from "./testPlayers.ts"

export const feature = defineFeature({
  noun: "testPlayers",
  contract: [TestPlayersApi],
  handlers: TestPlayersHandlers,
  layers: Branches.layer
})
