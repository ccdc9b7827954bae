import { makeEveryRunner } from "@atrium/actors/link/EveryRunner"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import type { SeriesPoint } from "@atrium/domain/metrics/MetricsApi"
import {
  mergedSeries,
  oldestSlot,
  type SeriesName,
  SeriesNames,
  type SeriesPart,
  slotEndMs
} from "@atrium/domain/metrics/SeriesRing"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Clock, Effect, Layer, Schema } from "effect"

import { ProjectSeries } from "./ProjectSeries.ts"

/** The question of one runner to another for its part of a project's series. */
const question = "metrics.series"

const Asked = Schema.Struct({ projectId: Schema.String, fromSlot: Schema.Int })
const decodeAsked = Schema.decodeUnknownEffect(Asked)
const decodeParts = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      slot: Schema.Int,
      values: Schema.Array(Schema.Finite),
      refused: Schema.Record(Schema.String, Schema.Int)
    })
  )
)

/** Answers other runners. */
export const SeriesAnswer = Layer.effectDiscard(
  Effect.gen(function* () {
    const series = yield* ProjectSeries
    const answers = yield* RunnerAnswers
    yield* answers.add(question, (input) =>
      Effect.map(Effect.orDie(decodeAsked(input)), ({ projectId, fromSlot }) =>
        Effect.sync(() => series.of(projectId, fromSlot))
      )
    )
  })
)

/** The last hour of a project over all runners that are up. */
export const makeWholeSeries = Effect.gen(function* () {
  const series = yield* ProjectSeries
  const askEvery = yield* makeEveryRunner

  return Effect.fn("WholeSeries.ofProject")(function* (projectId: string) {
    const fromSlot = oldestSlot(yield* Clock.currentTimeMillis)
    const others = yield* askEvery(
      { name: question, input: { projectId, fromSlot } },
      decodeParts
    ).pipe(Effect.mapError(() => incomplete))
    return mergedSeries([series.of(projectId, fromSlot), ...others]).map(pointOf)
  })
})

const incomplete = new NotReady({
  message: "metrics: a runner of the service does not tell its part; try again"
})

const pointOf = ({ slot, values, refused }: SeriesPart): SeriesPoint => {
  const of = (name: SeriesName): number => Math.round(values[SeriesNames.indexOf(name)] ?? 0)
  return {
    at: isoOf(slotEndMs(slot)),
    roomsByState: {
      starting: of("starting"),
      awake: of("awake"),
      draining: of("draining"),
      hibernated: of("hibernated"),
      restarting: of("restarting"),
      closed: of("closed")
    },
    players: of("players"),
    sockets: of("sockets"),
    joins: of("joins"),
    refused,
    errors: of("errors"),
    exits: of("exits"),
    ingressBytes: of("ingressBytes"),
    egressBytes: of("egressBytes"),
    memoryBytes: of("memoryBytes")
  }
}
