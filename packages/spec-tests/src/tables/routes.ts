import type { Route, Row } from "./Row.ts"

const keyRoute = (
  ids: Route["ids"],
  route: Pick<Route, "method" | "path"> & Partial<Route>
): Route => ({ kind: "route", ids, credential: "key", success: 200, ...route })
const loginRoute = (
  ids: Route["ids"],
  route: Pick<Route, "method" | "path"> & Partial<Route>
): Route => ({ kind: "route", ids, credential: "login", success: 200, ...route })
const openRoute = (
  ids: Route["ids"],
  route: Pick<Route, "method" | "path"> & Partial<Route>
): Route => ({ kind: "route", ids, credential: "project", success: 200, ...route })

const rooms = "/v1/projects/:id/rooms"

/** Endpoints. Statuses of success are D-01. */
export const routeRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["http.json-bodies"], is: { contentType: "application/json" } },
  { kind: "statement", ids: ["http.success-status"], is: { read: 200, made: 201, queued: 202 } },
  { kind: "error", ids: ["keys.routes.api-key-refused"], outcome: { status: 401 } },
  loginRoute(["route.keys.mint"], {
    method: "POST",
    path: "/v1/projects/:id/keys",
    success: 201
  }),
  loginRoute(["route.keys.list"], { method: "GET", path: "/v1/projects/:id/keys" }),
  loginRoute(["route.keys.revoke"], { method: "DELETE", path: "/v1/projects/:id/keys/:keyId" }),
  keyRoute(["route.rooms.list", "scope.rooms.list"], {
    method: "GET",
    path: rooms,
    scope: "rooms:read"
  }),
  keyRoute(["route.rooms.get", "scope.rooms.get"], {
    method: "GET",
    path: `${rooms}/:roomId`,
    scope: "rooms:read"
  }),
  keyRoute(["route.rooms.patch", "scope.rooms.patch"], {
    method: "PATCH",
    path: `${rooms}/:roomId`,
    scope: "rooms:write"
  }),
  keyRoute(["route.rooms.delete", "scope.rooms.delete"], {
    method: "DELETE",
    path: `${rooms}/:roomId`,
    scope: "rooms:write"
  }),
  keyRoute(["route.saves.list", "scope.saves.list"], {
    method: "GET",
    path: `${rooms}/:roomId/saves`,
    scope: "rooms:read"
  }),
  keyRoute(["route.saves.bytes", "scope.saves.bytes"], {
    method: "GET",
    path: `${rooms}/:roomId/saves/:saveId/bytes`,
    scope: "rooms:read"
  }),
  keyRoute(["route.saves.restore", "scope.saves.restore"], {
    method: "POST",
    path: `${rooms}/:roomId/restore`,
    scope: "rooms:write",
    success: 202
  }),
  loginRoute(["route.project.patch"], { method: "PATCH", path: "/v1/projects/:id" }),
  loginRoute(["route.caps.patch"], { method: "PATCH", path: "/v1/projects/:id/caps" }),
  loginRoute(["route.caps.get"], { method: "GET", path: "/v1/projects/:id/caps" }),
  openRoute(["route.match.join"], { method: "POST", path: "/match" }),
  openRoute(["route.match.party"], { method: "POST", path: "/match/party", success: 201 }),
  openRoute(["route.match.status"], { method: "GET", path: "/match/status" }),
  openRoute(["route.identity.mint"], { method: "POST", path: "/v1/identity", success: 201 }),
  openRoute(["route.identity.assertion"], { method: "POST", path: "/v1/identity/assertion" }),
  openRoute(["route.leaderboard.read"], { method: "GET", path: "/v1/leaderboard/..." }),
  { kind: "statement", ids: ["leaderboard.top-and-around"] },
  openRoute(["route.account.linkCode"], {
    method: "POST",
    path: "/v1/account/link-code",
    success: 201
  }),
  openRoute(["route.account.link"], { method: "POST", path: "/v1/account/link" }),
  openRoute(["route.account.manage"], {
    method: "various",
    path: "/v1/account, /v1/account/devices"
  }),
  openRoute(["route.presence.read"], { method: "GET", path: "/v1/presence" }),
  openRoute(["route.presence.watch"], { method: "GET", path: "/v1/presence?wait=" }),
  openRoute(["route.audience.mint"], { method: "POST", path: "/v1/audience", success: 201 }),
  {
    kind: "statement",
    ids: ["open.payloads"],
    is: { identity: ["expiresAt", "playerId", "token"], audience: ["expiresAt", "token"] }
  },
  { kind: "statement", ids: ["version.v1-prefix"], is: { prefix: "/v1" } },
  { kind: "statement", ids: ["version.match-unprefixed"], is: { path: "/match" } }
]
