import { Effect, Schema } from "effect"

import { ControlTools } from "../control/ControlTools.ts"
import { type Hooks, verb } from "../control/Hook.ts"
import { RunnerMetrics } from "./RunnerMetrics.ts"

/** What an operator may watch, of one project. Spec: Observability. */
export const hooks = Effect.gen(function* () {
  const { work } = yield* ControlTools
  const metrics = yield* RunnerMetrics
  const verbs: Hooks = {
    "metrics/read": verb(Schema.Struct({ project: Schema.NonEmptyString }), ({ project }) =>
      Effect.map(metrics.ofProject(project), (shown) => ({
        ...shown,
        storageListings: work.listings(project),
        serverStarts: work.serverStarts(project)
      }))
    )
  }
  return verbs
})
