import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

import { Limits } from "../Limits.ts"
import { LoginKinds } from "../LoginToken.ts"
import { InvitationsFull, InvitationUnknown, TokenNotFound } from "../Refusal.ts"
import { LoginRequired } from "./Credential.ts"
import { NoQuery } from "./NoQuery.ts"
import { onWire } from "./onWire.ts"
import { plainText } from "./PlainText.ts"

/** The caller's developer account. Source: D-40, T-99. */
const Me = Schema.Struct({
  accountId: Schema.String,
  name: Schema.String,
  createdAt: Schema.String
})

/** One login of the account; `current` = the one that asks. Source: D-23. */
export const LoginTokenRow = Schema.Struct({
  tokenId: Schema.String,
  label: Schema.String,
  kind: Schema.Literals(LoginKinds),
  createdAt: Schema.String,
  lastUsed: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Schema.String),
  current: Schema.Boolean
})
export type LoginTokenRow = typeof LoginTokenRow.Type

const invitation = {
  invitationId: Schema.String,
  name: Schema.String,
  createdAt: Schema.String,
  expiresAt: Schema.String
}

/** An invitation until its week is over; `acceptedBy` = the account that came of it. Source: C-66. */
export const InvitationRow = Schema.Struct({
  ...invitation,
  acceptedBy: Schema.NullOr(Schema.String)
})
export type InvitationRow = typeof InvitationRow.Type

/** The only answer that holds the code. */
const NewInvitation = Schema.Struct({ ...invitation, code: Schema.String })

/** The developer's own account: its logins, and whom it invites. A login credential only. */
export class MeApi extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("read", "/v1/me", { query: NoQuery, success: Me }),
    HttpApiEndpoint.get("tokens", "/v1/me/tokens", {
      query: NoQuery,
      success: Schema.Array(LoginTokenRow)
    }),
    HttpApiEndpoint.delete("revokeToken", "/v1/me/tokens/:tokenId", {
      params: { tokenId: Schema.String },
      query: NoQuery,
      success: LoginTokenRow,
      error: onWire(TokenNotFound)
    }),
    HttpApiEndpoint.post("invite", "/v1/me/invitations", {
      query: NoQuery,
      payload: Schema.Struct({ name: plainText(Limits.accountNameChars.max) }),
      success: NewInvitation.pipe(HttpApiSchema.status(201)),
      error: onWire(InvitationsFull)
    }),
    HttpApiEndpoint.get("invitations", "/v1/me/invitations", {
      query: NoQuery,
      success: Schema.Array(InvitationRow)
    }),
    HttpApiEndpoint.delete("withdraw", "/v1/me/invitations/:invitationId", {
      params: { invitationId: Schema.String },
      query: NoQuery,
      success: InvitationRow,
      error: onWire(InvitationUnknown)
    })
  )
  .middleware(LoginRequired) {}
