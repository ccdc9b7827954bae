import { MetricsApi } from "@atrium/domain/metrics/MetricsApi"

import { defineFeature } from "../defineFeature.ts"
import { MetricsHandlers } from "./metrics.ts"
import { MetricsPage } from "./MetricsPage.ts"
import { MetricsAnswer } from "./WholeMetrics.ts"

export const feature = defineFeature({
  noun: "metrics",
  contract: [MetricsApi],
  handlers: MetricsHandlers,
  layers: MetricsAnswer,
  pages: [MetricsPage],
  control: [() => import("./MetricsHooks.ts")]
})
