import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { LoginRequired, NoApiKey } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { tokenPart, userCodePart } from "../http/PathParts.ts"
import { plainText } from "../http/PlainText.ts"
import {
  InvitationUnknown,
  LoginCodeUnknown,
  LoginPending,
  OriginRefused,
  Unauthenticated
} from "../shared/Refusal.ts"
import { LoginLimits } from "./LoginLimits.ts"

/** What a device shows and polls with; spans in seconds. Source: D-23. */
const DeviceLogin = Schema.Struct({
  deviceCode: Schema.String,
  userCode: Schema.String,
  verificationUri: Schema.String,
  expiresIn: Schema.Int,
  interval: Schema.Int
}).annotate({
  identifier: "DeviceLogin",
  description: "What a device shows and polls with; spans in seconds."
})

/** A new login token: the only answer that holds it. `expiresAt: null` = valid until it is revoked. */
const LoginToken = Schema.Struct({
  token: Schema.String,
  tokenId: tokenPart.tokenId,
  accountId: Schema.String,
  name: Schema.String,
  expiresAt: Schema.NullOr(Moment)
}).annotate({
  identifier: "LoginToken",
  description: "A new login token; `expiresAt` `null` = valid until it is revoked."
})

/** The account whose session a browser has now; the secret is in the cookie alone. */
const Session = Schema.Struct({
  accountId: Schema.String,
  name: Schema.String,
  expiresAt: Schema.NullOr(Moment)
})

/** How logins are obtained, without a credential. Source: D-23. */
export class LoginApi extends HttpApiGroup.make("login")
  .annotateMerge(
    OpenApi.annotations({
      title: "Login",
      description: "How a login is obtained, without having one."
    })
  )
  .add(
    HttpApiEndpoint.post("startDevice", "/v1/login/device", {
      query: NoQuery,
      payload: Schema.Struct({
        label: Schema.optionalKey(plainText(LoginLimits.loginLabelChars.max))
      }),
      success: DeviceLogin.pipe(HttpApiSchema.status(201)),
      error: rateLimitedOnWire
    }).annotate(
      OpenApi.Summary,
      "Starts the login of a device, which somebody then allows in a browser."
    ),
    HttpApiEndpoint.post("takeToken", "/v1/login/token", {
      query: NoQuery,
      payload: Schema.Struct({ deviceCode: Schema.String }),
      success: LoginToken.pipe(HttpApiSchema.status(201)),
      error: [onWire(LoginPending), onWire(LoginCodeUnknown), rateLimitedOnWire]
    }).annotate(OpenApi.Summary, "Takes the device's login token once it is allowed."),
    HttpApiEndpoint.post("startSession", "/v1/login/session", {
      query: NoQuery,
      payload: Schema.Struct({ token: Schema.String }),
      success: Session,
      error: [onWire(Unauthenticated), onWire(OriginRefused)]
    }).annotate(OpenApi.Summary, "Starts a browser's session with a login token."),
    HttpApiEndpoint.post("acceptInvitation", "/v1/login/invitation", {
      query: NoQuery,
      payload: Schema.Struct({
        code: Schema.String,
        name: plainText(LoginLimits.accountNameChars.max)
      }),
      success: LoginToken.pipe(HttpApiSchema.status(201)),
      error: onWire(InvitationUnknown)
    }).annotate(OpenApi.Summary, "Makes an account of an invitation, and its login token.")
  )
  .middleware(NoApiKey) {}

/** A device's login as the person sees it who may allow it. */
const AskingDevice = Schema.Struct({
  userCode: Schema.String,
  label: Schema.String,
  expiresAt: Moment
})

/** What a person who is logged in does with logins: allow a device, end the own session. Source: D-23. */
export class ApprovalApi extends HttpApiGroup.make("approval")
  .annotateMerge(
    OpenApi.annotations({
      title: "Login approval",
      description: "What somebody who is logged in does with logins."
    })
  )
  .add(
    HttpApiEndpoint.get("readDevice", "/v1/login/device/:userCode", {
      params: userCodePart,
      query: NoQuery,
      success: AskingDevice,
      error: [onWire(LoginCodeUnknown), rateLimitedOnWire]
    }).annotate(OpenApi.Summary, "Tells which device asks for a login."),
    HttpApiEndpoint.post("decide", "/v1/login/approve", {
      query: NoQuery,
      payload: Schema.Struct({ userCode: Schema.String, allow: Schema.Boolean }),
      success: Schema.Struct({
        userCode: Schema.String,
        label: Schema.String,
        allow: Schema.Boolean
      }),
      error: [onWire(LoginCodeUnknown), rateLimitedOnWire]
    })
      .annotate(OpenApi.Summary, "Allows or denies the login of a device.")
      .annotateMerge(audited("login.decide", "label")),
    HttpApiEndpoint.post("logout", "/v1/login/logout", {
      query: NoQuery,
      success: HttpApiSchema.NoContent
    })
      .annotate(OpenApi.Summary, "Ends the login that asks.")
      .annotateMerge(audited("login.end"))
  )
  .middleware(LoginRequired) {}
