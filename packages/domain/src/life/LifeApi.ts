import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { ProjectAccess } from "../http/Credential.ts"
import { liveDescription } from "../http/LiveDescription.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { roomParts } from "../http/PathParts.ts"
import { RoomNotFound } from "../shared/Refusal.ts"
import { LifeEvent } from "./LifeEvent.ts"

/** What happened to a room: the developer's own login credential. Source: C-772. */
export class LifeApi extends HttpApiGroup.make("life")
  .annotateMerge(
    OpenApi.annotations({
      title: "Lives of rooms",
      description: "What happened to a room in the last seven days, on one line of time."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/rooms/:roomId/life", {
      params: roomParts,
      query: NoQuery,
      success: Schema.Array(LifeEvent),
      error: [onWire(RoomNotFound), rateLimitedOnWire]
    })
      .annotate(OpenApi.Summary, "Reads a room's life, the newest event first.")
      .annotate(
        OpenApi.Description,
        `Saves are those that are still stored, deployments those of the time that is shown. ${liveDescription("id")}`
      )
  )
  .middleware(ProjectAccess) {}
