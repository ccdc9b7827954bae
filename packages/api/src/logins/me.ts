import {
  type InvitationRow as StoredInvitation,
  InvitationStore
} from "@atrium/actors/logins/InvitationStore"
import type { LoginRow } from "@atrium/actors/logins/LoginRows"
import { LoginStore } from "@atrium/actors/logins/LoginStore"
import { apiOf } from "@atrium/domain/http/Api"
import { Account } from "@atrium/domain/http/Credential"
import { MeApi, type InvitationRow, type LoginTokenRow } from "@atrium/domain/logins/MeApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms))

const rowOf = (login: LoginRow, asking: { readonly tokenId: string }): LoginTokenRow => ({
  tokenId: login.tokenId,
  label: login.label,
  kind: login.kind,
  createdAt: isoOf(login.createdAtMs),
  lastUsed: isoOrNull(login.lastUsedMs),
  expiresAt: isoOrNull(login.expiresAtMs),
  current: login.tokenId === asking.tokenId
})

const invitationOf = (row: StoredInvitation): InvitationRow => ({
  invitationId: row.invitationId,
  name: row.name,
  createdAt: isoOf(row.createdAtMs),
  expiresAt: isoOf(row.expiresAtMs),
  acceptedBy: row.acceptedBy
})

/** The caller's account, its logins and its invitations. */
export const MeHandlers = HttpApiBuilder.group(
  apiOf(MeApi),
  "me",
  Effect.fnUntraced(function* (handlers) {
    const logins = yield* LoginStore
    const invitations = yield* InvitationStore
    return handlers.handleAll({
      read: Effect.fn("me.read")(function* () {
        const { accountId, name, createdAtMs } = yield* Account
        return { accountId, name, createdAt: isoOf(createdAtMs) }
      }),
      tokens: Effect.fn("me.tokens")(function* () {
        const account = yield* Account
        return (yield* logins.list(account.accountId)).map((login) => rowOf(login, account))
      }),
      revokeToken: Effect.fn("me.revokeToken")(function* ({ params }) {
        const account = yield* Account
        return rowOf(yield* logins.revoke(account.accountId, params.tokenId), account)
      }),
      invite: Effect.fn("me.invite")(function* ({ payload }) {
        const { accountId } = yield* Account
        const { code, ...row } = yield* invitations.invite({ accountId, name: payload.name })
        const { acceptedBy: _nobody, ...invitation } = invitationOf(row)
        return { ...invitation, code }
      }),
      invitations: Effect.fn("me.invitations")(function* () {
        const { accountId } = yield* Account
        return (yield* invitations.list(accountId)).map(invitationOf)
      }),
      withdraw: Effect.fn("me.withdraw")(function* ({ params }) {
        const { accountId } = yield* Account
        return invitationOf(yield* invitations.withdraw(accountId, params.invitationId))
      })
    })
  })
)
