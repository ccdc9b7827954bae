import { spanText } from "@atrium/wire/limits/LimitText"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { RoomId } from "../shared/Ids.ts"
import { BranchRefused, NotReady } from "../shared/Refusal.ts"
import { TestPlayerLimits } from "./TestPlayerLimits.ts"

/** The only answer that holds the token. Source: D-60. */
const TestPlayer = Schema.Struct({
  playerId: Schema.String,
  roomId: RoomId,
  token: Schema.String,
  expiresAt: Moment
})

/** Players who try rooms: the developer's own login credential. Source: D-60. */
export class TestPlayersApi extends HttpApiGroup.make("testplayers")
  .annotateMerge(
    OpenApi.annotations({
      title: "Test players",
      description: "Players for trying a room of `dev`, of the playground, or a branch."
    })
  )
  .add(
    HttpApiEndpoint.post("mint", "/v1/projects/:id/test-players", {
      params: projectPart,
      query: NoQuery,
      payload: Schema.Struct({ roomId: RoomId }),
      success: TestPlayer.pipe(HttpApiSchema.status(201)),
      error: [onWire(BranchRefused), onWire(NotReady)]
    })
      .annotate(OpenApi.Summary, "Mints the credential of a fresh player for one room.")
      .annotate(
        OpenApi.Description,
        `It is good for ${spanText(TestPlayerLimits.testTokenLife)}, and for this room alone: any one of project \`dev\`, a branch, or one of the playground, \`playground-\` and 8 hex digits.`
      )
      .annotateMerge(audited("test-player.mint", "playerId"))
  )
  .middleware(ProjectAccess) {}
