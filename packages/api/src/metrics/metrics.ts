import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { MetricsApi } from "@atrium/domain/metrics/MetricsApi"
import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { liveList, wholeList } from "../http/LiveList.ts"
import { wantsEvents } from "../http/LiveStream.ts"
import { makeWholeMetrics } from "./WholeMetrics.ts"
import { makeWholeSeries } from "./WholeSeries.ts"

/** Operational metrics of projects. */
export const MetricsHandlers = HttpApiBuilder.group(
  apiOf(MetricsApi),
  "metrics",
  Effect.fnUntraced(function* (handlers) {
    const ofProject = yield* makeWholeMetrics
    const seriesOf = yield* makeWholeSeries
    return handlers.handleAll({
      read: Effect.fn("metrics.read")(function* () {
        const { projectId } = yield* CallersProject
        return yield* ofProject(projectId)
      }),
      series: Effect.fn("metrics.series")(function* () {
        const { projectId } = yield* CallersProject
        const read = seriesOf(projectId)
        if (!(yield* wantsEvents)) return yield* read
        const next = wholeList(read, ({ at }) => at)
        return yield* liveList({ next, everyMs: MetricsLimits.seriesLook.ms }, projectId)
      })
    })
  })
)
