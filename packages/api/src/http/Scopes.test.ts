import { ProjectAccess, RequiredScope } from "@atrium/domain/http/Credential"
import type { Scope } from "@atrium/domain/shared/Scope"
import { Context } from "effect"
import { expect, test } from "vitest"

import { Api } from "./Api.ts"

const endpoints = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map((endpoint) => ({
    route: `${endpoint.method} ${endpoint.path}`,
    scope: Context.get(endpoint.annotations, RequiredScope),
    middlewares: endpoint.middlewares
  }))
)
const room = "/v1/projects/:id/rooms/:roomId"

/** The specification's table, again, the branches of rooms (D-58), and their replays (D-57). */
const table: ReadonlyArray<readonly [id: string, route: string, scope: Scope]> = [
  ["scope.rooms.list", "GET /v1/projects/:id/rooms", "rooms:read"],
  ["scope.rooms.get", `GET ${room}`, "rooms:read"],
  ["scope.rooms.patch", `PATCH ${room}`, "rooms:write"],
  ["scope.rooms.delete", `DELETE ${room}`, "rooms:write"],
  ["scope.saves.list", `GET ${room}/saves`, "rooms:read"],
  ["scope.saves.bytes", `GET ${room}/saves/:saveId/bytes`, "rooms:read"],
  ["scope.saves.restore", `POST ${room}/restore`, "rooms:write"],
  ["D-58", `POST ${room}/saves/:saveId/branch`, "rooms:write"],
  ["D-57", "GET /v1/projects/:id/replays", "rooms:read"],
  ["D-57", "DELETE /v1/projects/:id/replays/:replayId", "rooms:write"]
]

test.each(table)("[%s] %s takes keys with %s", (_id, route, scope) => {
  const found = endpoints.find((endpoint) => endpoint.route === route)
  expect(found?.scope).toBe(scope)
  expect(found?.middlewares.has(ProjectAccess)).toBe(true)
})

test.each([
  "auth.key.cannot.player-data",
  "auth.key.cannot.leaderboards",
  "auth.key.cannot.ratings",
  "scope.read.reaches"
])("[%s] no other route takes an API key", () => {
  const taking = endpoints.filter(({ scope }) => scope !== null).map(({ route }) => route)
  expect(taking.toSorted()).toEqual(table.map(([, route]) => route).toSorted())
})

test("[auth.key.other-project-404] every route below a project asks whose it is", () => {
  for (const { route, middlewares } of endpoints) {
    expect(middlewares.has(ProjectAccess), route).toBe(route.includes("/v1/projects/:id"))
  }
})
