import { Api } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { RunnerMetrics } from "./RunnerMetrics.ts"

/** Operational metrics of projects. */
export const MetricsHandlers = HttpApiBuilder.group(
  Api,
  "metrics",
  Effect.fnUntraced(function* (handlers) {
    const metrics = yield* RunnerMetrics
    return handlers.handleAll({
      read: Effect.fn("metrics.read")(function* () {
        const { projectId } = yield* CallersProject
        return yield* metrics.ofProject(projectId)
      })
    })
  })
)
