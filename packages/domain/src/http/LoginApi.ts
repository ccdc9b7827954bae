import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

import { Limits } from "../Limits.ts"
import {
  InvitationUnknown,
  LoginCodeUnknown,
  LoginPending,
  OriginRefused,
  Unauthenticated
} from "../Refusal.ts"
import { LoginRequired, NoApiKey } from "./Credential.ts"
import { NoQuery } from "./NoQuery.ts"
import { onWire, rateLimitedOnWire } from "./onWire.ts"
import { plainText } from "./PlainText.ts"

/** What a device shows and polls with; spans in seconds. Source: D-23. */
const DeviceLogin = Schema.Struct({
  deviceCode: Schema.String,
  userCode: Schema.String,
  verificationUri: Schema.String,
  expiresIn: Schema.Int,
  interval: Schema.Int
})

/** A new login token: the only answer that holds it. `expiresAt: null` = valid until it is revoked. */
const LoginToken = Schema.Struct({
  token: Schema.String,
  tokenId: Schema.String,
  accountId: Schema.String,
  name: Schema.String,
  expiresAt: Schema.NullOr(Schema.String)
})

/** Whose session a browser has now; its secret is in the cookie alone. */
const Session = Schema.Struct({
  accountId: Schema.String,
  name: Schema.String,
  expiresAt: Schema.NullOr(Schema.String)
})

/** How logins are obtained, without a credential. Source: D-23. */
export class LoginApi extends HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("startDevice", "/v1/login/device", {
      query: NoQuery,
      payload: Schema.Struct({ label: Schema.optionalKey(plainText(Limits.loginLabelChars.max)) }),
      success: DeviceLogin.pipe(HttpApiSchema.status(201)),
      error: rateLimitedOnWire
    }),
    HttpApiEndpoint.post("takeToken", "/v1/login/token", {
      query: NoQuery,
      payload: Schema.Struct({ deviceCode: Schema.String }),
      success: LoginToken.pipe(HttpApiSchema.status(201)),
      error: [onWire(LoginPending), onWire(LoginCodeUnknown), rateLimitedOnWire]
    }),
    HttpApiEndpoint.post("startSession", "/v1/login/session", {
      query: NoQuery,
      payload: Schema.Struct({ token: Schema.String }),
      success: Session,
      error: [onWire(Unauthenticated), onWire(OriginRefused)]
    }),
    HttpApiEndpoint.post("acceptInvitation", "/v1/login/invitation", {
      query: NoQuery,
      payload: Schema.Struct({ code: Schema.String, name: plainText(Limits.accountNameChars.max) }),
      success: LoginToken.pipe(HttpApiSchema.status(201)),
      error: onWire(InvitationUnknown)
    })
  )
  .middleware(NoApiKey) {}

/** A device's login as the person sees it who may allow it. */
const AskingDevice = Schema.Struct({
  userCode: Schema.String,
  label: Schema.String,
  expiresAt: Schema.String
})

/** What a person who is logged in does with logins: allow a device, end the own session. Source: D-23. */
export class ApprovalApi extends HttpApiGroup.make("approval")
  .add(
    HttpApiEndpoint.get("readDevice", "/v1/login/device/:userCode", {
      params: { userCode: Schema.String },
      query: NoQuery,
      success: AskingDevice,
      error: [onWire(LoginCodeUnknown), rateLimitedOnWire]
    }),
    HttpApiEndpoint.post("decide", "/v1/login/approve", {
      query: NoQuery,
      payload: Schema.Struct({ userCode: Schema.String, allow: Schema.Boolean }),
      success: Schema.Struct({
        userCode: Schema.String,
        label: Schema.String,
        allow: Schema.Boolean
      }),
      error: [onWire(LoginCodeUnknown), rateLimitedOnWire]
    }),
    HttpApiEndpoint.post("logout", "/v1/login/logout", {
      query: NoQuery,
      success: HttpApiSchema.NoContent
    })
  )
  .middleware(LoginRequired) {}
