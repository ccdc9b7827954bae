import { isRefused, isRefusal } from "../../check/Answers.ts"
import type { Trial } from "../../trial/Trial.ts"
import { isReached } from "../Reached.ts"
import { type keyRouteIds, callOf } from "../RouteCall.ts"
import { rowOf } from "../Section.ts"

type KeyRouteId = (typeof keyRouteIds)[number]

type Scope = "rooms:read" | "rooms:write"

/** A route that a scope opens is closed to a key without it. */
export const scopesOf = async (
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
