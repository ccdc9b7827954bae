import { AccountApi } from "@atrium/domain/accounts/AccountApi"
import { AudienceApi } from "@atrium/domain/audience/AudienceApi"
import { BoardsApi } from "@atrium/domain/boards/BoardsApi"
import { IdentityApi } from "@atrium/domain/identity/IdentityApi"
import { MatchApi } from "@atrium/domain/match/MatchApi"
import { PresenceApi } from "@atrium/domain/presence/PresenceApi"
import { WatchApi } from "@atrium/domain/replay/ReplaysApi"
import { LobbyApi } from "@atrium/domain/rooms/LobbyApi"
import { Effect } from "effect"
import { HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"

import { patternOf } from "./PathPattern.ts"
import { requestIdHeader } from "./RequestId.ts"

/** Routes that a game calls from a browser: those whose credential is the project id. Source: D-26. */
const openPaths: ReadonlyArray<RegExp> = [
  IdentityApi,
  LobbyApi,
  AudienceApi,
  AccountApi,
  PresenceApi,
  BoardsApi,
  MatchApi,
  WatchApi
].flatMap(({ endpoints }) => Object.values(endpoints).map(({ path }) => patternOf(path)))

const isOpen = (url: string): boolean => {
  const path = url.split("?", 1)[0] ?? url
  return openPaths.some((pattern) => pattern.test(path))
}

/**
 * The exact origin is echoed. A preflight does not name the project, so that every page may ask; the
 * request itself is refused when the project does not list the page (`ProjectOrigins`). Source: D-30.
 */
const cors = HttpMiddleware.cors({
  allowedOrigins: () => true,
  allowedMethods: ["GET", "POST", "DELETE"],
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
    isOpen(url) ? open : app
  )
}
