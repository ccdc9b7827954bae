import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart, roomParts } from "../http/PathParts.ts"
import { NotFound, OriginRefused } from "../shared/Refusal.ts"

/** A room of the public registry. */
const LobbyRoom = Schema.Struct({
  roomId: roomParts.roomId,
  type: Schema.String,
  clients: Schema.Int,
  maxClients: Schema.Int,
  metadata: Schema.optionalKey(
    Schema.Unknown.annotate({ description: "The JSON that the room's code has set, if it has." })
  )
}).annotate({ identifier: "LobbyRoom", description: "A room that shows itself to players." })

/** The public registry: rooms that show themselves to players. An open endpoint. Source: D-21. */
export class LobbyApi extends HttpApiGroup.make("lobby")
  .annotateMerge(
    OpenApi.annotations({
      title: "Lobby",
      description: "Rooms that show themselves to players. The project's id is all that it takes."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/lobby", {
      query: { project: projectPart.id },
      success: Schema.Array(LobbyRoom),
      error: [onWire(NotFound), onWire(OriginRefused), rateLimitedOnWire]
    }).annotate(OpenApi.Summary, "Lists the public rooms of a project.")
  ) {}
