import { Schema } from "effect"

import { oneOf, optional, positive, preset, required, section } from "./ScenarioKey.ts"
import { ScenarioLimits } from "./ScenarioLimits.ts"
import { Span } from "./Units.ts"

const thresholdPattern =
  /^(?:avg|med|min|max|rate|count|p\([0-9]{1,2}(?:\.[0-9]{1,3})?\))\s*(?:<|<=|>|>=)\s*[0-9]+(?:\.[0-9]+)?$/
const thresholdForm = "must be a condition such as p(99)<1000, rate<0.01 or max<=5000"

const Threshold = Schema.String.annotate({ message: thresholdForm }).check(
  Schema.isPattern(thresholdPattern, { message: thresholdForm })
)
const thresholds = (description: string) =>
  optional(
    Schema.NonEmptyArray(Threshold).annotate({ message: "must be a list of conditions" }),
    description
  )

/** Phases in the words of k6: `stages`, `arrival`, `thresholds`. */
export const Load = section({
  arrival: preset(
    oneOf(["players", "joinsPerSecond"]),
    "players",
    "What targets count: players who are connected, or joinsPerSecond."
  ),
  stages: required(
    Schema.NonEmptyArray(
      section({
        duration: required(Span, "How long the phase lasts."),
        target: required(
          positive(ScenarioLimits.loadTarget),
          "What it reaches at its end, in a straight line."
        )
      })
    ).annotate({ message: "must be a list of phases" }),
    "The phases, one after another; the first starts at 0."
  ),
  thresholds: preset(
    section({
      joinMs: thresholds("Milliseconds of a join."),
      patchMs: thresholds("Milliseconds from a tick to its patch at the player."),
      refused: thresholds("Joins that are refused."),
      dropped: thresholds("Connections that the service closes.")
    }),
    {},
    "What the run must keep, by metric: lists of conditions such as p(99)<1000."
  )
})
