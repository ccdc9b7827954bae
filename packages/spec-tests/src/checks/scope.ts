import { isRefusal, isRefused } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { rowOf } from "../tables/Tables.ts"
import type { Trial } from "../trial/Trial.ts"
import { isReached } from "./Reached.ts"
import { callOf, keyRouteIds } from "./RouteCall.ts"

type KeyRouteId = (typeof keyRouteIds)[number]
type Scope = "rooms:read" | "rooms:write"

/** Which scope reaches which route. */
export const scopeChecks: ReadonlyArray<Check> = [
  ...keyRouteIds.map((route) => ({
    ids: [route.replace("route.", "scope.")] as const,
    title: `${rowOf("route", route).method} ${rowOf("route", route).path} needs ${rowOf("route", route).scope}`,
    run: (trial: Trial) => scopesOf(trial, [route], ["rooms:read", "rooms:write"])
  })),
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
