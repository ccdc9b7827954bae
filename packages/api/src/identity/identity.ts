import { PlayerAccounts } from "@atrium/actors/accounts/PlayerAccounts"
import { IdentityStore, newPlayerId } from "@atrium/actors/identity/IdentityStore"
import type { ProjectRow } from "@atrium/actors/projects/ProjectStore"
import { hashSecret } from "@atrium/actors/store/Secrets"
import { apiOf } from "@atrium/domain/http/Api"
import { IdentityApi } from "@atrium/domain/identity/IdentityApi"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { isSecret, type ProjectId } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import type { OpenRate } from "../http/OpenRates.ts"
import { makeOpenProject } from "../projects/OpenProject.ts"
import { PlayerTokens, type UnmintedIdentity } from "../router/PlayerTokens.ts"
import { Assertions } from "./Assertions.ts"

export const identityRate: OpenRate = {
  address: IdentityLimits.identityMintsByAddress,
  subject: IdentityLimits.identityMints
}

export const assertionRate: OpenRate = {
  address: IdentityLimits.assertionsByAddress,
  subject: IdentityLimits.assertions
}

/** Identities of players. */
export const IdentityHandlers = HttpApiBuilder.group(
  apiOf(IdentityApi),
  "identity",
  Effect.fnUntraced(function* (handlers) {
    const openProject = yield* makeOpenProject
    const tokens = yield* PlayerTokens
    const assertions = yield* Assertions
    const identities = yield* IdentityStore
    const accounts = yield* PlayerAccounts

    /** The identity whose device has the credential. */
    const deviceOf = Effect.fnUntraced(function* (projectId: ProjectId, credential: string) {
      const found = isSecret("playerDevice", credential)
        ? yield* accounts.bySecret(projectId, hashSecret(credential))
        : Option.none()
      return Option.isNone(found) ? yield* new Unauthenticated() : found.value
    })

    /** The token of an identity, and the player that the identity is now. */
    const minted = Effect.fnUntraced(function* (
      projectId: ProjectId,
      identity: Omit<UnmintedIdentity, "endedAtMs">
    ) {
      const { playerId: identityId } = identity
      const { playerId, endedAtMs } = yield* accounts.identity({ projectId, identityId })
      const { token, expiresAtMs } = yield* tokens.mintIdentity(projectId, {
        ...identity,
        endedAtMs
      })
      return { playerId: playerId ?? identityId, token, expiresAt: isoOf(expiresAtMs) }
    })

    return handlers.handleAll({
      mint: Effect.fn("identity.mint")(function* ({ payload }) {
        const { projectId } = yield* openProject(identityRate, payload.project, Effect.succeed)
        const { device } = payload
        const playerId = device === undefined ? newPlayerId() : yield* deviceOf(projectId, device)
        return yield* minted(projectId, { playerId, asserted: false })
      }),
      assert: Effect.fn("identity.assert")(function* ({ payload: { project, assertion } }) {
        // The allowance of the project is for those whom it knows.
        const verify = ({ projectId }: ProjectRow) =>
          Effect.map(assertions.verify(projectId, assertion), (subject) => ({ projectId, subject }))
        const { projectId, subject } = yield* openProject(assertionRate, project, verify)
        const playerId = yield* identities.playerOf(projectId, subject)
        return yield* minted(projectId, { playerId, asserted: true })
      })
    })
  })
)
