import { Matches } from "@atrium/actors/match/Matches"
import { MatchRooms } from "@atrium/actors/match/MatchRooms"
import { MatchSweep } from "@atrium/actors/match/MatchSweep"
import { matchTables } from "@atrium/actors/match/MatchTables"
import { QueueEntity } from "@atrium/actors/match/QueueEntity"
import { MatchApi } from "@atrium/domain/match/MatchApi"
import { TicketsApi } from "@atrium/domain/match/TicketsApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { matchCalls, MatchHandlers, matchJoinRate, matchReadRate, partyRate } from "./match.ts"
import { TicketsHandlers } from "./tickets.ts"

export const feature = defineFeature({
  noun: "match",
  contract: [MatchApi, TicketsApi],
  handlers: Layer.merge(MatchHandlers, TicketsHandlers),
  rates: [matchJoinRate, partyRate, matchReadRate],
  tables: matchTables,
  calls: matchCalls,
  layers: Matches.layer,
  actors: Layer.mergeAll(QueueEntity.pipe(Layer.provide(MatchRooms.layer)), MatchSweep)
})
