import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Audiences } from "@atrium/actors/rooms/Audiences"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { AudienceApi } from "@atrium/domain/audience/AudienceApi"
import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { apiOf } from "@atrium/domain/http/Api"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { type OpenRate, OpenRates } from "../http/OpenRates.ts"
import { projectThere } from "../projects/projectThere.ts"
import { PlayerTokens } from "../router/PlayerTokens.ts"

export const audienceRate: OpenRate = {
  address: AudienceLimits.audienceMintsByAddress,
  subject: AudienceLimits.audienceMints
}

/** Credentials of those who only watch. */
export const AudienceHandlers = HttpApiBuilder.group(
  apiOf(AudienceApi),
  "audience",
  Effect.fnUntraced(function* (handlers) {
    const audiences = yield* Audiences
    const projects = yield* ProjectStore
    const rooms = yield* Rooms
    const rates = yield* OpenRates
    const tokens = yield* PlayerTokens
    return handlers.handleAll({
      mint: Effect.fn("audience.mint")(function* ({ payload: { project, roomId } }) {
        const { projectId, role } = yield* rates.pass(audienceRate, {
          subject: `${project}/${roomId}`,
          project: projectThere(projects, project),
          // A room that sleeps is not woken for it.
          found: (row) =>
            Effect.tap(audiences.of(row), ({ projectId }) => rooms.read({ projectId, roomId }))
        })
        const minted = yield* tokens.mintAudience({ projectId, roomId, role })
        return { token: minted.token, expiresAt: isoOf(minted.expiresAtMs) }
      })
    })
  })
)
