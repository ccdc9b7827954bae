import { type ProjectRow, ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Effect } from "effect"

import { type OpenRate, OpenRates } from "../http/OpenRates.ts"
import { projectThere } from "./projectThere.ts"

/**
 * Requests about a whole project that carry no credential of its owner. Each spends the allowance of its address, then
 * that of the project. Source: D-26.
 *
 * @returns asks for the project of an id. `found` may refuse, and a refused request spends nothing of the project's
 *   allowance. Errors: `NotFound`, `OriginRefused`, `RateLimited`, and those of `found`.
 */
export const makeOpenProject = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const rates = yield* OpenRates
  return <A, E, R>(
    rate: OpenRate,
    project: string,
    found: (row: ProjectRow) => Effect.Effect<A, E, R>
  ) => rates.pass(rate, { subject: project, project: projectThere(projects, project), found })
})
