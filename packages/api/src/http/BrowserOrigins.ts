import { AudienceApi } from "@atrium/domain/audience/AudienceApi"
import { IdentityApi } from "@atrium/domain/identity/IdentityApi"
import { LobbyApi } from "@atrium/domain/rooms/LobbyApi"
import { Effect } from "effect"
import { HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"

import { requestIdHeader } from "./RequestId.ts"

/** Routes that a game calls from a browser: those whose credential is the project id. Source: D-26. */
const openPaths: ReadonlySet<string> = new Set(
  [IdentityApi, LobbyApi, AudienceApi].flatMap(({ endpoints }) =>
    Object.values(endpoints).map((endpoint) => endpoint.path)
  )
)

/**
 * The exact origin is echoed. A preflight does not name the project, so that every page may ask; the
 * request itself is refused when the project does not list the page (`ProjectOrigins`). Source: D-30.
 */
const cors = HttpMiddleware.cors({
  allowedOrigins: () => true,
  allowedMethods: ["GET", "POST"],
  allowedHeaders: ["content-type", "authorization"],
  exposedHeaders: ["retry-after", requestIdHeader],
  maxAge: 86_400
})

/** Lets pages of other origins call the open routes, and no others. */
export const withBrowserOrigins = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const open = cors(app)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
    openPaths.has(url.split("?", 1)[0] ?? url) ? open : app
  )
}
