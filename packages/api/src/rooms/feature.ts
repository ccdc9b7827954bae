import { AlarmClock } from "@atrium/actors/rooms/AlarmClock"
import { RetentionSweep } from "@atrium/actors/rooms/RetentionSweep"
import { RoomEntity } from "@atrium/actors/rooms/RoomEntity"
import { RoomReporter } from "@atrium/actors/rooms/RoomReporter"
import { roomTables } from "@atrium/actors/rooms/RoomTables"
import { Restorer } from "@atrium/actors/saves/Restorer"
import { LobbyApi } from "@atrium/domain/rooms/LobbyApi"
import { RoomsApi } from "@atrium/domain/rooms/RoomsApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { LobbyHandlers } from "./lobby.ts"
import { RoomsHandlers } from "./rooms.ts"

export const feature = defineFeature({
  noun: "rooms",
  contract: [RoomsApi, LobbyApi],
  handlers: Layer.merge(RoomsHandlers, LobbyHandlers),
  tables: roomTables,
  control: [() => import("./SeedHooks.ts")],
  actors: Layer.mergeAll(RoomEntity, AlarmClock, RoomReporter, RetentionSweep, Restorer)
})
