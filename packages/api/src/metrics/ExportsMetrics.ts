import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"
import { Context, Effect, Schedule } from "effect"

import { ServiceMetrics } from "./ServiceMetrics.ts"

/** Whether metrics are exported to a collector. */
export const ExportsMetrics = Context.Reference<boolean>("@atrium/api/metrics/ExportsMetrics", {
  defaultValue: () => false
})

/** Where metrics are exported, measures now and then what is not read at an export. */
export const measureForExport = Effect.gen(function* () {
  if (!(yield* ExportsMetrics)) return
  const { measure } = yield* ServiceMetrics
  const spaced = Schedule.spaced(MetricsLimits.roomsCounted.ms)
  yield* Effect.forkScoped(Effect.repeat(measure, spaced))
})
