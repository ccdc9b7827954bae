import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { apiOf } from "@atrium/domain/http/Api"
import { IdentityApi } from "@atrium/domain/identity/IdentityApi"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { type OpenRate, OpenRates } from "../http/OpenRates.ts"
import { projectThere } from "../projects/projectThere.ts"
import { PlayerTokens } from "../router/PlayerTokens.ts"

export const identityRate: OpenRate = {
  address: IdentityLimits.identityMintsByAddress,
  subject: IdentityLimits.identityMints
}

/** Identities of players. */
export const IdentityHandlers = HttpApiBuilder.group(
  apiOf(IdentityApi),
  "identity",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const rates = yield* OpenRates
    const tokens = yield* PlayerTokens
    return handlers.handleAll({
      mint: Effect.fn("identity.mint")(function* ({ payload }) {
        const { projectId } = yield* rates.pass(identityRate, {
          subject: payload.project,
          project: projectThere(projects, payload.project),
          found: Effect.succeed
        })
        const identity = yield* tokens.mintIdentity(projectId)
        return {
          playerId: identity.playerId,
          token: identity.token,
          expiresAt: isoOf(identity.expiresAtMs)
        }
      })
    })
  })
)
