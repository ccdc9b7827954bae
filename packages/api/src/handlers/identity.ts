import { ProjectStore } from "@atrium/actors/store/ProjectStore"
import { Api } from "@atrium/domain/http/Api"
import { isoOf } from "@atrium/domain/IsoText"
import { NotFound } from "@atrium/domain/Refusal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { PlayerTokens } from "../router/PlayerTokens.ts"

/** Identities of players. */
export const IdentityHandlers = HttpApiBuilder.group(
  Api,
  "identity",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const tokens = yield* PlayerTokens
    return handlers.handleAll({
      mint: Effect.fn("identity.mint")(function* ({ payload }) {
        const project = yield* projects.find(payload.project)
        if (Option.isNone(project)) return yield* new NotFound()
        const identity = yield* tokens.mintIdentity(project.value.projectId)
        return {
          playerId: identity.playerId,
          token: identity.token,
          expiresAt: isoOf(identity.expiresAtMs)
        }
      })
    })
  })
)
