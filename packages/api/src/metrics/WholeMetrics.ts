import { makeEveryRunner } from "@atrium/actors/link/EveryRunner"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import type { ProjectMetrics } from "@atrium/domain/metrics/MetricsApi"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Effect, Layer, Schema } from "effect"

import { type RunnerFigures, RunnerMetrics } from "./RunnerMetrics.ts"

/** The question of one runner to another for the figures of a project. */
const question = "metrics.project"

const decodeProject = Schema.decodeUnknownEffect(Schema.String)
const decodeFigures = Schema.decodeUnknownEffect(
  Schema.Struct({
    sockets: Schema.Int,
    ingressBytes: Schema.Int,
    egressBytes: Schema.Int,
    rss: Schema.Int
  })
)

/** Answers other runners. */
export const MetricsAnswer = Layer.effectDiscard(
  Effect.gen(function* () {
    const metrics = yield* RunnerMetrics
    const answers = yield* RunnerAnswers
    yield* answers.add(question, (input) =>
      Effect.map(Effect.orDie(decodeProject(input)), (projectId) =>
        Effect.sync(() => metrics.here(projectId))
      )
    )
  })
)

/**
 * The metrics of a project over all runners: this one measures its own rooms and asks the others. A part that is
 * missing is no answer. Source: C-423.
 */
export const makeWholeMetrics = Effect.gen(function* () {
  const metrics = yield* RunnerMetrics
  const askEvery = yield* makeEveryRunner

  return Effect.fn("WholeMetrics.ofProject")(function* (projectId: string) {
    const own = yield* metrics.ofProject(projectId)
    const parts = yield* askEvery({ name: question, input: projectId }, decodeFigures).pipe(
      Effect.mapError(() => incomplete)
    )
    return parts.reduce(sum, own)
  })
})

const incomplete = new NotReady({
  message: "metrics: a runner of the service does not tell its part; try again"
})

const sum = (whole: ProjectMetrics, part: RunnerFigures): ProjectMetrics => ({
  roomsByState: whole.roomsByState,
  sockets: whole.sockets + part.sockets,
  ingressBytes: whole.ingressBytes + part.ingressBytes,
  egressBytes: whole.egressBytes + part.egressBytes,
  rss: whole.rss + part.rss
})
