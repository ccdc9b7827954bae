import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import {
  AssertionInvalid,
  NotFound,
  OriginRefused,
  ProviderUnreachable,
  Unauthenticated
} from "../shared/Refusal.ts"

/** A player without an account: an id and the token that proves it, for 24 hours. Source: D-27. */
const Identity = Schema.Struct({
  playerId: Schema.String,
  token: Schema.String,
  expiresAt: Moment
}).annotate({
  identifier: "Identity",
  description: "A player without an account, and the token that proves it."
})

/** Open endpoints about a player's identity: the project id is the credential. Source: D-26. */
export class IdentityApi extends HttpApiGroup.make("identity")
  .annotateMerge(
    OpenApi.annotations({
      title: "Identity",
      description: "Players without an account. The project's id is all that it takes."
    })
  )
  .add(
    HttpApiEndpoint.post("mint", "/v1/identity", {
      query: NoQuery,
      payload: Schema.Struct({
        project: projectPart.id,
        device: Schema.optionalKey(Schema.String)
      }),
      success: Identity.pipe(HttpApiSchema.status(201)),
      error: [onWire(NotFound), onWire(Unauthenticated), onWire(OriginRefused), rateLimitedOnWire]
    })
      .annotate(
        OpenApi.Summary,
        "Makes a player: an id, and the token that proves it for 24 hours."
      )
      .annotate(
        OpenApi.Description,
        "With the credential of a device (`POST /v1/account/devices`) it is the player of that device."
      ),
    HttpApiEndpoint.post("assert", "/v1/identity/assertion", {
      query: NoQuery,
      payload: Schema.Struct({ project: projectPart.id, assertion: Schema.String }),
      success: Identity,
      error: [
        onWire(NotFound),
        onWire(AssertionInvalid),
        onWire(OriginRefused),
        onWire(ProviderUnreachable),
        rateLimitedOnWire
      ]
    })
      .annotate(
        OpenApi.Summary,
        "Exchanges a token of the developer's own login for a player, and the token that proves it."
      )
      .annotate(
        OpenApi.Description,
        "The assertion is a JWT: HS256 by the project's secret, or RS256 or ES256 by one of its identity providers. The same issuer and subject is always the same player."
      )
  ) {}
