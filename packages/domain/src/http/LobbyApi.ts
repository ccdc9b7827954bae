import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

import { NotFound } from "../Refusal.ts"
import { onWire } from "./onWire.ts"

/** A room of the public registry. */
const LobbyRoom = Schema.Struct({
  roomId: Schema.String,
  type: Schema.String,
  clients: Schema.Int,
  maxClients: Schema.Int
})

/** The public registry: rooms that show themselves to players. An open endpoint. Source: D-21. */
export class LobbyApi extends HttpApiGroup.make("lobby").add(
  HttpApiEndpoint.get("list", "/v1/lobby", {
    query: { project: Schema.String },
    success: Schema.Array(LobbyRoom),
    error: onWire(NotFound)
  })
) {}
