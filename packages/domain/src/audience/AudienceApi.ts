import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart, roomParts } from "../http/PathParts.ts"
import { AudienceDisabled, NotFound, OriginRefused, RoomNotFound } from "../shared/Refusal.ts"

/** A credential that lets its bearer watch one room, for three hours. Source: D-29. */
const AudienceCredential = Schema.Struct({ token: Schema.String, expiresAt: Moment }).annotate({
  identifier: "AudienceCredential",
  description: "What lets its bearer watch one room."
})

/** Open endpoint for those who only watch: the project id is the credential. Source: D-26, D-29. */
export class AudienceApi extends HttpApiGroup.make("audience")
  .annotateMerge(
    OpenApi.annotations({
      title: "Audience",
      description: "Viewers of relay rooms. The project's id and the room's are all that it takes."
    })
  )
  .add(
    HttpApiEndpoint.post("mint", "/v1/audience", {
      query: NoQuery,
      payload: Schema.Struct({ project: projectPart.id, roomId: roomParts.roomId }),
      success: AudienceCredential.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(NotFound),
        onWire(RoomNotFound),
        onWire(AudienceDisabled),
        onWire(OriginRefused),
        rateLimitedOnWire
      ]
    }).annotate(
      OpenApi.Summary,
      "Mints a credential that lets its bearer watch one relay room for three hours."
    )
  ) {}
