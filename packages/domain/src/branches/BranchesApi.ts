import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { keyScope, ProjectAccess } from "../http/Credential.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { saveParts } from "../http/PathParts.ts"
import { RoomDetail } from "../rooms/RoomsApi.ts"
import { RoomId } from "../shared/Ids.ts"
import {
  CapReached,
  NotReady,
  RoomExists,
  RoomInUse,
  RoomNotFound,
  SaveNotFound
} from "../shared/Refusal.ts"

/** Rooms made from saves of others: a scoped API key, or the account's login. Source: D-58. */
export class BranchesApi extends HttpApiGroup.make("branches")
  .annotateMerge(
    OpenApi.annotations({
      title: "Branches",
      description:
        "A branch is a sleeping room made from a save of another one, to look at what went wrong without touching it."
    })
  )
  .add(
    HttpApiEndpoint.post("make", "/v1/projects/:id/rooms/:roomId/saves/:saveId/branch", {
      params: saveParts,
      query: NoQuery,
      payload: Schema.Struct({ roomId: RoomId }),
      success: RoomDetail.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(RoomNotFound),
        onWire(SaveNotFound),
        onWire(RoomExists),
        onWire(RoomInUse),
        onWire(CapReached),
        onWire(NotReady)
      ]
    })
      .annotate(OpenApi.Summary, "Makes a new, inert room from a save.")
      .annotateMerge(audited("room.branch", "roomId"))
      .annotateMerge(
        keyScope(
          "rooms:write",
          "Its clock stands, it is never public and never matched, only test players enter it, its calls of the service are refused with `E_BRANCH`, it stays on the version of the save, and is kept for 7 days."
        )
      )
  )
  .middleware(ProjectAccess) {}
