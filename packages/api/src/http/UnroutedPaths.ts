import { Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"
import { HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"

import { features } from "../features.ts"
import { makeLoginCredential } from "../logins/LoginCredential.ts"
import { errorResponse } from "./ErrorResponse.ts"
import { methodsOf } from "./KnownPaths.ts"

const loginPaths = features.flatMap<string>((feature) => feature.loginPaths)

/** Whether everything below this path is the developer's own. Spec: Authentication rule 3; D-40. */
export const isLoginPath = (url: string): boolean =>
  loginPaths.some((path) => url.startsWith(path) && /^(?:[/?]|$)/.test(url.slice(path.length)))

const isRouteNotFound = (error: unknown): error is HttpServerError.HttpServerError =>
  error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound"

/**
 * Answers where there is no route. Below the paths of developers a login comes first there, too: to
 * everybody else, API keys included, what is not there yet looks like what they may not reach.
 * Source: D-03, C-63.
 */
export const makeUnroutedPaths = Effect.gen(function* () {
  const logins = yield* makeLoginCredential
  const bearer = HttpApiBuilder.securityDecode(HttpApiSecurity.bearer).pipe(
    Effect.provideService(HttpServerRequest.ParsedSearchParams, {})
  )

  const refusal = Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    if (!isLoginPath(url) || methodsOf(url).length > 0) return Option.none()
    const account = yield* logins.accountOf(yield* bearer)
    return Option.isSome(account)
      ? Option.none()
      : Option.some(errorResponse(new Unauthenticated(), 401))
  }).pipe(Effect.catchTag("E_ORIGIN", (refused) => Effect.succeedSome(errorResponse(refused, 403))))

  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.catchIf(app, isRouteNotFound, (error) =>
      Effect.flatMap(
        refusal,
        Option.match({ onNone: () => Effect.fail(error), onSome: Effect.succeed })
      )
    )
})
