import {
  type ReadPayload,
  readFault,
  reportFault,
  type ReportPayload
} from "@atrium/wire/ratings/RatingCall"
import { RatingLimits } from "@atrium/wire/ratings/RatingLimits"
import { Schema } from "effect"

import { roomCall } from "../rooms/RoomCall.ts"

const Ratings = Schema.Array(
  Schema.Struct({ player: Schema.String, rating: Schema.Finite, deviation: Schema.Finite })
)
const queue = Schema.NullOr(Schema.String)
const fits = <Payload>(faultOf: (payload: Payload) => string | null) =>
  Schema.makeFilter((payload: Payload) => faultOf(payload) ?? true)

/** The result of a game moves the ratings of its players. Spec: Skill rating limits. */
export const reportCall = roomCall({
  payload: Schema.Struct({
    id: Schema.String,
    queue,
    results: Schema.Array(Schema.Struct({ player: Schema.String, place: Schema.Number }))
  }).check(fits<ReportPayload>(reportFault)),
  /** `counted` is false for an id that the room has reported before; the ratings are in the report's order. */
  answer: Schema.Struct({ counted: Schema.Boolean, ratings: Ratings }),
  rate: RatingLimits.ratingReports
})

/** The ratings of players, in the order in which they were asked for. */
export const readCall = roomCall({
  payload: Schema.Struct({ queue, players: Schema.Array(Schema.String) }).check(
    fits<ReadPayload>(readFault)
  ),
  answer: Schema.Struct({ ratings: Ratings })
})
