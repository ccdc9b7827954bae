import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { playerParts } from "../http/PathParts.ts"
import { BadRequest } from "../shared/Refusal.ts"
import { Deleted, Export } from "./AccountApi.ts"

/** A player of a project. */
const PlayerRecord = Schema.Struct({
  playerId: Schema.String,
  /** The player that this id is now: another one when its identity has become a device of an account. */
  accountId: Schema.String,
  /** The devices of this player, the first one first. */
  devices: Schema.Array(
    Schema.Struct({
      deviceId: Schema.String,
      /** The player that the device was before it was linked. */
      identityId: Schema.String,
      label: Schema.NullOr(Schema.String),
      linkedAt: Moment
    })
  ),
  /** As the last report left them, by queue. */
  ratings: Schema.Array(
    Schema.Struct({
      queue: Schema.String,
      rating: Schema.Finite,
      deviation: Schema.Finite,
      ratedAt: Moment
    })
  )
}).annotate({ identifier: "PlayerRecord", description: "A player, its devices and its ratings." })
export type PlayerRecord = typeof PlayerRecord.Type

/** A page of all that is kept of a player. */
export type PlayerExport = typeof Export.Type

/** Players of a project: the developer's own login credential. Source: C-807. */
export class PlayersApi extends HttpApiGroup.make("players")
  .annotateMerge(
    OpenApi.annotations({
      title: "Players",
      description: "What is kept of a player, for the owner of the project. No API key reaches it."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/players/:playerId", {
      params: playerParts,
      query: NoQuery,
      success: PlayerRecord,
      error: onWire(BadRequest)
    })
      .annotate(OpenApi.Summary, "Tells the devices and the ratings of a player.")
      .annotate(
        OpenApi.Description,
        "An id of which nothing is kept answers as any other, with empty lists: a game may sign players in by ids of its own."
      ),
    HttpApiEndpoint.get("export", "/v1/projects/:id/players/:playerId/export", {
      params: playerParts,
      query: {
        after: Schema.optionalKey(
          Schema.String.annotate({ description: "`next` of the page before." })
        )
      },
      success: Export,
      error: onWire(BadRequest)
    }).annotate(OpenApi.Summary, "Tells all that is kept of a player, page by page."),
    HttpApiEndpoint.delete("delete", "/v1/projects/:id/players/:playerId", {
      params: playerParts,
      query: NoQuery,
      success: Deleted,
      error: onWire(BadRequest)
    })
      .annotate(
        OpenApi.Summary,
        "Deletes a player: identity, devices and all that is kept, but for scores and ratings."
      )
      .annotate(
        OpenApi.Description,
        "Scores and ratings stay under a random id. The player's connections close. For 25 hours nothing that a room still holds of the player is stored."
      )
      .annotateMerge(audited("player.delete", "playerId"))
  )
  .middleware(ProjectAccess) {}
