import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { roomCall } from "../rooms/RoomCall.ts"
import {
  NotFound,
  NotReady,
  OriginRefused,
  PartyFull,
  PartyUnknown,
  QueueNoType,
  Unauthenticated
} from "../shared/Refusal.ts"
import { wholeNumber } from "../shared/WholeNumber.ts"
import { QueueLimits } from "./QueueLimits.ts"

const queue = Schema.String.annotate({
  description: "A queue of the project; left out = its only one, or `default`.",
  examples: ["duo"]
})

const identity = Schema.String.annotate({
  description: "The token of `POST /v1/identity`, or a join credential for any room."
})

const waitMs = wholeNumber({ min: 0, max: QueueLimits.matchWaitMax.ms }).annotate({
  description: "How long to wait at most; left out = 30,000."
})

const partyCode = Schema.String.annotate({
  description: "The code of a party, as `POST /match/party` answered it.",
  examples: ["7K3P-V0QA"]
})

/** Where a ticket stands. Source: D-31. */
const MatchTicket = Schema.Struct({
  ticket: Schema.String,
  queue: Schema.String,
  status: Schema.Literals(["waiting", "matched", "expired", "retired"]),
  /** Since then it waits, or has waited. */
  since: Moment,
  /** Why it waits; of a waiting ticket. */
  why: Schema.optionalKey(Schema.String),
  /** Of a matched ticket, with the credential that joins it, and the place of the player's team. */
  roomId: Schema.optionalKey(Schema.String),
  token: Schema.optionalKey(Schema.String),
  team: Schema.optionalKey(Schema.Int)
}).annotate({
  identifier: "MatchTicket",
  description: "A player's place in a queue, and the room of the match once there is one."
})

const Party = Schema.Struct({ code: Schema.String, expiresAt: Moment }).annotate({
  identifier: "Party",
  description: "A code by which players queue together."
})

const QueueDepth = Schema.Struct({
  queue: Schema.String,
  depth: Schema.Int,
  oldestMs: Schema.NullOr(Schema.Int)
}).annotate({
  identifier: "QueueDepth",
  description: "How many tickets wait in a queue, and for how long the oldest has."
})

const open = [onWire(NotFound), onWire(OriginRefused), rateLimitedOnWire] as const

/** Quick match. The paths have no prefix. Spec: Open endpoints; Versioning; D-31. */
export class MatchApi extends HttpApiGroup.make("match")
  .annotateMerge(
    OpenApi.annotations({
      title: "Quick match",
      description:
        "Players queue, alone or as a party, and meet in a room. The project's id is all that it takes."
    })
  )
  .add(
    HttpApiEndpoint.post("join", "/match", {
      query: NoQuery,
      payload: Schema.Struct({
        project: projectPart.id,
        queue: Schema.optionalKey(queue),
        identity,
        party: Schema.optionalKey(partyCode),
        waitMs: Schema.optionalKey(waitMs)
      }),
      success: MatchTicket,
      error: [
        ...open,
        onWire(Unauthenticated),
        onWire(PartyUnknown),
        onWire(PartyFull),
        onWire(QueueNoType),
        onWire(NotReady)
      ]
    }).annotate(
      OpenApi.Summary,
      "Joins a queue. The player's earlier ticket of the queue is retired."
    )
  )
  .add(
    HttpApiEndpoint.get("ticket", "/match/ticket/:ticket", {
      params: {
        ticket: Schema.String.annotate({
          description: "A ticket's id, from the answer of `POST /match`.",
          examples: ["mt_0123456789abcdef0123456789abcdef"]
        })
      },
      query: { project: projectPart.id },
      success: MatchTicket,
      error: [...open, onWire(NotReady)]
    }).annotate(
      OpenApi.Summary,
      "Says where a ticket stands: why it waits, or the room of its match and what joins it."
    )
  )
  .add(
    HttpApiEndpoint.post("party", "/match/party", {
      query: NoQuery,
      payload: Schema.Struct({
        project: projectPart.id,
        queue: Schema.optionalKey(queue),
        identity: Schema.optionalKey(identity),
        size: Schema.optionalKey(
          wholeNumber(QueueLimits.partySize).annotate({
            description: "Players of the party, at most the seats of a team; left out = 2."
          })
        )
      }),
      success: Party.pipe(HttpApiSchema.status(201)),
      error: [...open, onWire(Unauthenticated)]
    }).annotate(
      OpenApi.Summary,
      "Mints a code by which so many players queue together, for ten minutes."
    )
  )
  .add(
    HttpApiEndpoint.get("status", "/match/status", {
      query: { project: projectPart.id, queue: Schema.optionalKey(queue) },
      success: QueueDepth,
      error: open
    }).annotate(OpenApi.Summary, "Says how many tickets wait in a queue.")
  ) {}

/** Room code asks for players. */
export const backfillCall = roomCall({
  payload: Schema.Struct({ seats: wholeNumber({ min: 0, max: QueueLimits.queueSize.max }) }),
  answer: Schema.Struct({}),
  rate: QueueLimits.backfillCalls
})
