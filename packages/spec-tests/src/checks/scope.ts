import { isRefusal, isRefused } from "../check/Answers.ts"
import type { Check, Probe } from "../check/Check.ts"
import { rowOf } from "../tables/Tables.ts"
import type { Trial } from "../trial/Trial.ts"
import { isReached } from "./Reached.ts"
import { callOf, keyRouteIds } from "./RouteCall.ts"

type KeyRouteId = (typeof keyRouteIds)[number]
type Scope = "rooms:read" | "rooms:write"

/** Which scope reaches which route. */
export const scopeChecks: ReadonlyArray<Check> = [
  { ids: ["scope.rooms.list"], ...needsItsScope("scope.rooms.list") },
  { ids: ["scope.rooms.get"], ...needsItsScope("scope.rooms.get") },
  { ids: ["scope.rooms.patch"], ...needsItsScope("scope.rooms.patch") },
  { ids: ["scope.rooms.delete"], ...needsItsScope("scope.rooms.delete") },
  { ids: ["scope.saves.list"], ...needsItsScope("scope.saves.list") },
  { ids: ["scope.saves.bytes"], ...needsItsScope("scope.saves.bytes") },
  { ids: ["scope.saves.restore"], ...needsItsScope("scope.saves.restore") },
  {
    ids: ["scope.read.reaches"],
    title: "rooms:read reaches the four routes that read, and none of the three that write",
    run: (trial) => scopesOf(trial, keyRouteIds, ["rooms:read"])
  },
  {
    ids: ["scope.write.reaches"],
    title: "rooms:write reaches all seven routes",
    run: (trial) => scopesOf(trial, keyRouteIds, ["rooms:write"])
  },
  {
    ids: ["scope.write-implies-read"],
    title: "a key with rooms:write alone reads",
    run: (trial) =>
      scopesOf(
        trial,
        keyRouteIds.filter((id) => rowOf("route", id).scope === "rooms:read"),
        ["rooms:write"]
      )
  }
]

function needsItsScope(id: string): Probe {
  const route = keyRouteIds.find((known) => known === id.replace("scope.", "route."))
  if (route === undefined) throw new Error(`${id} is no scope of a route`)
  const { method, path, scope } = rowOf("route", route)
  return {
    title: `${method} ${path} needs ${scope}`,
    run: (trial) => scopesOf(trial, [route], ["rooms:read", "rooms:write"])
  }
}

/** What a scope opens is closed to whoever has none. */
const scopesOf = async (
  trial: Trial,
  routes: ReadonlyArray<KeyRouteId>,
  scopes: ReadonlyArray<Scope>
): Promise<void> => {
  const project = await trial.project()
  for (const route of routes) {
    isRefused(await trial.send(callOf(trial, route, { project: project.id })))
  }
  for (const scope of scopes) {
    const { secret: bearer } = await project.key(scope)
    for (const route of routes) {
      const { scope: needed = "" } = rowOf("route", route)
      const answer = await trial.send({ ...callOf(trial, route, { project: project.id }), bearer })
      if (scope === "rooms:write" || needed === scope) isReached(trial, answer)
      else isRefusal(trial, answer, { ...rowOf("error", "auth.403.scope"), naming: needed })
    }
  }
}
