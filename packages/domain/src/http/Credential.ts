import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"

import type { LoginKind } from "../logins/LoginToken.ts"
import type { ProjectId } from "../shared/Ids.ts"
import {
  BadRequest,
  NotFound,
  NotReady,
  OriginRefused,
  ScopeMissing,
  Unauthenticated
} from "../shared/Refusal.ts"
import type { Scope } from "../shared/Scope.ts"
import { onWire } from "./onWire.ts"

/** The developer account behind a login credential, and which of its logins that is. Source: D-23, D-50. */
export class Account extends Context.Service<
  Account,
  {
    readonly accountId: string
    readonly name: string
    readonly createdAtMs: number
    readonly tokenId: string
    readonly kind: LoginKind
  }
>()("@atrium/domain/http/Account") {}

/** The project of the path, which the caller may reach. */
export class CallersProject extends Context.Service<
  CallersProject,
  { readonly projectId: ProjectId }
>()("@atrium/domain/http/CallersProject") {}

/**
 * The scope that an API key needs for a route. A route without one takes no API key at all: it needs
 * the developer's own login credential, which reaches every route of the account's projects.
 */
export const RequiredScope = Context.Reference<Scope | null>("@atrium/domain/http/RequiredScope", {
  defaultValue: () => null
})

/** Lets API keys with this scope reach a route, and says so in its description, before what else it says. */
export const keyScope = (scope: Scope, more = "") =>
  Context.make(RequiredScope, scope).pipe(
    Context.add(OpenApi.Description, `An API key needs the scope \`${scope}\`. ${more}`.trim())
  )

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "A login token (`ct_…`) of the developer, or for routes of rooms an API key (`rk_…`)."
  )
)

/** The cookie that holds a browser's session; an `authorization` header wins over it. Source: D-23. */
export const sessionCookie = "atrium_session"

/**
 * Lets login credentials through (`ct_…` tokens, or a session); everything else is one and the same
 * 401. Spec: Authentication rule 5.
 */
export class LoginRequired extends HttpApiMiddleware.Service<
  LoginRequired,
  { provides: Account }
>()("@atrium/domain/http/LoginRequired", {
  security: { bearer },
  error: [onWire(Unauthenticated), onWire(OriginRefused)]
}) {}

/**
 * Routes by which a login is obtained take no credential; who bears an API key is turned away all
 * the same. Spec: Authentication rule 3.
 */
export class NoApiKey extends HttpApiMiddleware.Service<NoApiKey>()(
  "@atrium/domain/http/NoApiKey",
  { error: onWire(Unauthenticated) }
) {}

/**
 * Routes below `/v1/projects/:id`. Order of refusals: credential, its kind for the route, the
 * project, the scope; only then is the request looked at. Source: D-03.
 */
export class ProjectAccess extends HttpApiMiddleware.Service<
  ProjectAccess,
  { provides: CallersProject }
>()("@atrium/domain/http/ProjectAccess", {
  security: { bearer },
  error: [
    onWire(Unauthenticated),
    onWire(OriginRefused),
    onWire(NotFound),
    onWire(ScopeMissing),
    onWire(NotReady)
  ]
}) {}

/** Turns a request that does not fit its contract into a 400 that names the culprit. Source: D-02. */
export class Strict extends HttpApiMiddleware.Service<Strict>()("@atrium/domain/http/Strict", {
  error: onWire(BadRequest)
}) {}
