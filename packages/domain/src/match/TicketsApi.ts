import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { onWire } from "../http/onWire.ts"
import { limitQuery } from "../http/PageQuery.ts"
import { projectPart } from "../http/PathParts.ts"
import { BadRequest, NotReady } from "../shared/Refusal.ts"
import { QueueLimits } from "./QueueLimits.ts"

/** A player who waits. The ticket's id is not shown: it gets its bearer the credential of the match. */
const WaitingTicket = Schema.Struct({
  playerId: Schema.String,
  /** The player queued with the code of a party. */
  party: Schema.Boolean,
  rating: Schema.Finite,
  since: Moment,
  expiresAt: Moment,
  why: Schema.String
}).annotate({ identifier: "WaitingTicket", description: "A player who waits in a queue, and why." })
export type WaitingTicket = typeof WaitingTicket.Type

/** Who waits in a queue: the developer's own login credential. Source: C-808. */
export class TicketsApi extends HttpApiGroup.make("tickets")
  .annotateMerge(
    OpenApi.annotations({
      title: "Waiting tickets",
      description: "Who waits in a queue, for the owner of the project. No API key reaches it."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/tickets", {
      params: projectPart,
      query: {
        queue: Schema.optionalKey(
          Schema.String.annotate({
            description: "A queue of the project; left out = its only one, or `default`."
          })
        ),
        limit: limitQuery(QueueLimits.ticketsListed.max)
      },
      success: Schema.Array(WaitingTicket),
      error: [onWire(BadRequest), onWire(NotReady)]
    }).annotate(
      OpenApi.Summary,
      "Lists the players who wait in a queue, the one who waits longest first, and why each waits."
    )
  )
  .middleware(ProjectAccess) {}
