import { roomTables } from "@atrium/actors/rooms/RoomTables"
import { LobbyApi } from "@atrium/domain/rooms/LobbyApi"
import { RoomsApi } from "@atrium/domain/rooms/RoomsApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { LobbyHandlers, lobbyRate } from "./lobby.ts"
import { RoomsHandlers } from "./rooms.ts"

export const feature = defineFeature({
  noun: "rooms",
  contract: [RoomsApi, LobbyApi],
  handlers: Layer.merge(RoomsHandlers, LobbyHandlers),
  rates: [lobbyRate],
  tables: roomTables,
  control: [() => import("./SeedHooks.ts")]
})
