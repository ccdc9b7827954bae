import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { LoginRequired } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { invitationPart, tokenPart } from "../http/PathParts.ts"
import { plainText } from "../http/PlainText.ts"
import { InvitationsFull, InvitationUnknown, TokenNotFound } from "../shared/Refusal.ts"
import { LoginLimits } from "./LoginLimits.ts"
import { LoginKinds } from "./LoginToken.ts"

/** The caller's developer account. Source: D-40, T-99. */
const Me = Schema.Struct({
  accountId: Schema.String,
  name: Schema.String,
  createdAt: Moment
}).annotate({ identifier: "Account", description: "A developer account." })

/** One login of the account; `current` = the one that asks. Source: D-23. */
export const LoginTokenRow = Schema.Struct({
  tokenId: tokenPart.tokenId,
  label: Schema.String,
  kind: Schema.Literals(LoginKinds),
  createdAt: Moment,
  lastUsed: Schema.NullOr(Moment),
  expiresAt: Schema.NullOr(Moment),
  current: Schema.Boolean
}).annotate({
  identifier: "Login",
  description: "A login of the account, without its token; `current` = the one that asks."
})
export type LoginTokenRow = typeof LoginTokenRow.Type

const invitation = {
  invitationId: invitationPart.invitationId,
  name: Schema.String,
  createdAt: Moment,
  expiresAt: Moment
}

/** An invitation until its week is over; `acceptedBy` = the account that came of it. Source: C-66. */
export const InvitationRow = Schema.Struct({
  ...invitation,
  acceptedBy: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "Invitation",
  description: "An invitation; `acceptedBy` = the account that came of it."
})
export type InvitationRow = typeof InvitationRow.Type

/** The only answer that holds the code. */
const NewInvitation = Schema.Struct({ ...invitation, code: Schema.String })

/** The developer's own account: its logins, and whom it invites. A login credential only. */
export class MeApi extends HttpApiGroup.make("me")
  .annotateMerge(
    OpenApi.annotations({
      title: "Account",
      description: "The developer's own account: its logins, and whom it invites."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/me", { query: NoQuery, success: Me }).annotate(
      OpenApi.Summary,
      "Reads the caller's account."
    ),
    HttpApiEndpoint.get("tokens", "/v1/me/tokens", {
      query: NoQuery,
      success: Schema.Array(LoginTokenRow)
    }).annotate(OpenApi.Summary, "Lists the account's logins."),
    HttpApiEndpoint.delete("revokeToken", "/v1/me/tokens/:tokenId", {
      params: tokenPart,
      query: NoQuery,
      success: LoginTokenRow,
      error: onWire(TokenNotFound)
    })
      .annotate(OpenApi.Summary, "Revokes a login of the account.")
      .annotateMerge(audited("login.revoke", "tokenId")),
    HttpApiEndpoint.post("invite", "/v1/me/invitations", {
      query: NoQuery,
      payload: Schema.Struct({ name: plainText(LoginLimits.accountNameChars.max) }),
      success: NewInvitation.pipe(HttpApiSchema.status(201)),
      error: onWire(InvitationsFull)
    })
      .annotate(OpenApi.Summary, "Invites somebody; the code is in this answer only.")
      .annotateMerge(audited("invitation.make", "invitationId")),
    HttpApiEndpoint.get("invitations", "/v1/me/invitations", {
      query: NoQuery,
      success: Schema.Array(InvitationRow)
    }).annotate(OpenApi.Summary, "Lists the account's invitations."),
    HttpApiEndpoint.delete("withdraw", "/v1/me/invitations/:invitationId", {
      params: invitationPart,
      query: NoQuery,
      success: InvitationRow,
      error: onWire(InvitationUnknown)
    })
      .annotate(OpenApi.Summary, "Withdraws an invitation.")
      .annotateMerge(audited("invitation.withdraw", "invitationId"))
  )
  .middleware(LoginRequired) {}
