import { sessionCookie } from "@atrium/domain/http/Credential"
import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { OriginRefused } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"

import { isHttps } from "../http/PublicAddress.ts"
import { isSameOrigin } from "../http/SameOrigin.ts"

const security = HttpApiSecurity.apiKey({ key: sessionCookie, in: "cookie" })

const setCookie = (secret: string, maxAgeMs: number) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    HttpApiBuilder.securitySetCookie(security, secret, {
      httpOnly: true,
      sameSite: "lax",
      secure: isHttps(headers),
      path: "/",
      maxAge: maxAgeMs
    })
  )

/** Gives the browser its session; no script of any page can read it. Source: D-23. */
export const giveSession = (secret: string) => setCookie(secret, LoginLimits.sessionLife.ms)

/**
 * Refuses what a page of another origin asks for: it could log its visitor in as somebody else.
 * Programs name no origin, and may.
 */
export const ownPagesOnly = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const isPage = headers["origin"] !== undefined || headers["sec-fetch-site"] !== undefined
  return isPage && !isSameOrigin(headers) ? Effect.fail(new OriginRefused()) : Effect.void
})

/** Takes the browser's session away. */
export const takeSession = setCookie("", 0)
