import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { MetricsApi } from "@atrium/domain/metrics/MetricsApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { makeWholeMetrics } from "./WholeMetrics.ts"

/** Operational metrics of projects. */
export const MetricsHandlers = HttpApiBuilder.group(
  apiOf(MetricsApi),
  "metrics",
  Effect.fnUntraced(function* (handlers) {
    const ofProject = yield* makeWholeMetrics
    return handlers.handleAll({
      read: Effect.fn("metrics.read")(function* () {
        const { projectId } = yield* CallersProject
        return yield* ofProject(projectId)
      })
    })
  })
)
