import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"

import { BadRequest, Unauthenticated } from "../Refusal.ts"
import { onWire } from "./onWire.ts"

/** The developer account behind a login credential. Source: D-23, D-50. */
export class Account extends Context.Service<
  Account,
  { readonly accountId: string; readonly name: string }
>()("@atrium/domain/http/Account") {}

/** Lets login tokens (`ct_…`) through; everything else is one and the same 401. Spec: Authentication rule 5. */
export class LoginRequired extends HttpApiMiddleware.Service<
  LoginRequired,
  { provides: Account }
>()("@atrium/domain/http/LoginRequired", {
  security: { bearer: HttpApiSecurity.bearer },
  error: onWire(Unauthenticated)
}) {}

/** Turns a request that does not fit its contract into a 400 that names the culprit. Source: D-02. */
export class Strict extends HttpApiMiddleware.Service<Strict>()("@atrium/domain/http/Strict", {
  error: onWire(BadRequest)
}) {}
