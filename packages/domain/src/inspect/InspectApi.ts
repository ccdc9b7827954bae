import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { liveDescription } from "../http/LiveDescription.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { clientParts, roomParts } from "../http/PathParts.ts"
import { BadRequest, ClientNotFound, NotReady, RoomNotFound } from "../shared/Refusal.ts"
import { wholeNumber } from "../shared/WholeNumber.ts"
import { InspectLimits } from "./InspectLimits.ts"

/** The state of a room at a moment. Source: C-770. */
export const RoomStateLook = Schema.Struct({
  roomId: roomParts.roomId,
  at: Moment,
  live: Schema.Boolean,
  type: Schema.String,
  version: Schema.Int,
  schemaHash: Schema.String,
  schema: Schema.Json,
  hidden: Schema.Array(Schema.String),
  bytes: Schema.Int,
  state: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "RoomStateLook",
  description:
    "The state of a room: of an awake one as it is (`live`), of a sleeping one its newest snapshot, taken at `at`. `state` = base64 of what a save of the room has, `null` where that is over 8 MiB. `schema` = the descriptor that it is written with; `hidden` = the names in it that no client is told of."
})
export type RoomStateLook = typeof RoomStateLook.Type

/** A connection of an awake room. Source: C-771. */
export const RoomClient = Schema.Struct({
  clientId: Schema.String,
  playerId: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: Schema.String,
  status: Schema.Literals(["joining", "joined"]),
  since: Moment,
  ingressBytes: Schema.Int,
  egressBytes: Schema.Int,
  lagMs: Schema.NullOr(Schema.Int),
  backlogBytes: Schema.NullOr(Schema.Int)
}).annotate({
  identifier: "RoomClient",
  description:
    "A connection of an awake room, `joining` until the room has let it in. Bytes are those of frames between it and the room since it came. `lagMs` = the last round trip to it, measured every 20 s; `backlogBytes` = what waits to be sent to it; `null` = not known yet."
})
export type RoomClient = typeof RoomClient.Type

/** What goes on in a room: the developer's own login credential. Source: D-60. */
export class InspectApi extends HttpApiGroup.make("inspect")
  .annotateMerge(
    OpenApi.annotations({
      title: "Inspection",
      description:
        "What goes on in a room. A look wakes no room, keeps none awake, and runs no code of it."
    })
  )
  .add(
    HttpApiEndpoint.get("state", "/v1/projects/:id/rooms/:roomId/state", {
      params: roomParts,
      query: NoQuery,
      success: RoomStateLook,
      error: [onWire(RoomNotFound), rateLimitedOnWire]
    })
      .annotate(OpenApi.Summary, "Reads the state of a room, as it is or as it was stored last.")
      .annotate(
        OpenApi.Description,
        "With `accept: text/event-stream` each change is told as an event `state`, at most four a second and 1 MiB a second; `schema` is `null` where it is that of the event before."
      ),
    HttpApiEndpoint.get("clients", "/v1/projects/:id/rooms/:roomId/clients", {
      params: roomParts,
      query: NoQuery,
      success: Schema.Array(RoomClient),
      error: [onWire(RoomNotFound), onWire(NotReady), rateLimitedOnWire]
    })
      .annotate(OpenApi.Summary, "Lists the connections of a room, the oldest first.")
      .annotate(
        OpenApi.Description,
        `A room that is not awake has none. ${liveDescription("clientId")}`
      ),
    HttpApiEndpoint.post("kick", "/v1/projects/:id/rooms/:roomId/clients/:clientId/kick", {
      params: clientParts,
      query: NoQuery,
      success: Schema.Struct({ clientId: Schema.String }),
      error: [onWire(RoomNotFound), onWire(ClientNotFound), onWire(NotReady)]
    })
      .annotate(
        OpenApi.Summary,
        "Closes a connection of a room with 4410 E_KICKED, after which its client stays away."
      )
      .annotateMerge(audited("client.kick", "clientId")),
    HttpApiEndpoint.post("stepClock", "/v1/projects/:id/rooms/:roomId/clock", {
      params: roomParts,
      query: NoQuery,
      payload: Schema.Struct({ stepMs: wholeNumber(InspectLimits.clockStepMs) }),
      success: Schema.Struct({ roomId: roomParts.roomId, at: Moment }),
      error: [onWire(RoomNotFound), onWire(BadRequest), onWire(NotReady)]
    })
      .annotate(
        OpenApi.Summary,
        "Moves the clock of an awake room of project `dev` forward, and tells the room's time."
      )
      .annotate(
        OpenApi.Description,
        "Alarms and timers that become due go off. The clock is that of the service again when the room has slept."
      )
      .annotateMerge(audited("room.step-clock", "roomId"))
  )
  .middleware(ProjectAccess) {}
