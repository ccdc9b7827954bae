import { MetricsApi } from "@atrium/domain/metrics/MetricsApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { MetricsHandlers } from "./metrics.ts"
import { MetricsPage } from "./MetricsPage.ts"
import { ProjectSeries } from "./ProjectSeries.ts"
import { MetricsAnswer } from "./WholeMetrics.ts"
import { SeriesAnswer } from "./WholeSeries.ts"

export const feature = defineFeature({
  noun: "metrics",
  contract: [MetricsApi],
  handlers: MetricsHandlers,
  layers: Layer.merge(MetricsAnswer, SeriesAnswer.pipe(Layer.provideMerge(ProjectSeries.layer))),
  pages: [MetricsPage],
  control: [() => import("./MetricsHooks.ts")]
})
