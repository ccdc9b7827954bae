import { Effect, Schema } from "effect"

import { RunnerMetrics } from "../metrics/RunnerMetrics.ts"
import { type Hooks, verb } from "./Hook.ts"
import type { LiveWork } from "./LiveWork.ts"

/** What an operator may watch, of one project. Spec: Observability. */
export const makeMetricsHooks = Effect.fnUntraced(function* (work: LiveWork) {
  const metrics = yield* RunnerMetrics
  const hooks: Hooks = {
    "metrics/read": verb(Schema.Struct({ project: Schema.NonEmptyString }), ({ project }) =>
      Effect.map(metrics.ofProject(project), (shown) => ({
        ...shown,
        storageListings: work.listings(project),
        serverStarts: work.serverStarts(project)
      }))
    )
  }
  return hooks
})
