import { AccountApi } from "@atrium/domain/accounts/AccountApi"
import { AudienceApi } from "@atrium/domain/audience/AudienceApi"
import { BoardsApi } from "@atrium/domain/boards/BoardsApi"
import { IdentityApi } from "@atrium/domain/identity/IdentityApi"
import { PresenceApi } from "@atrium/domain/presence/PresenceApi"
import { LobbyApi } from "@atrium/domain/rooms/LobbyApi"
import { Effect } from "effect"
import { HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"

import { requestIdHeader } from "./RequestId.ts"

/** Routes that a game calls from a browser: those whose credential is the project id. Source: D-26. */
const openPaths: ReadonlyArray<string> = [
  IdentityApi,
  LobbyApi,
  AudienceApi,
  AccountApi,
  PresenceApi,
  BoardsApi
].flatMap(({ endpoints }) => Object.values(endpoints).map((endpoint): string => endpoint.path))

const wholePaths = new Set(openPaths.filter((path) => !path.includes(":")))

/** The parts of paths with parameters; a parameter is any part. */
const patterns = openPaths
  .filter((path) => path.includes(":"))
  .map((path) => path.split("/").map((part) => (part.startsWith(":") ? null : part)))

const isOpen = (path: string): boolean => {
  if (wholePaths.has(path)) return true
  const parts = path.split("/")
  return patterns.some(
    (pattern) =>
      pattern.length === parts.length &&
      pattern.every((part, at) => (part === null ? parts[at] !== "" : part === parts[at]))
  )
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
    isOpen(url.split("?", 1)[0] ?? url) ? open : app
  )
}
