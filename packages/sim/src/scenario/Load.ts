import { Schema } from "effect"

import { oneOf, optional, positive, preset, required, section } from "./ScenarioKey.ts"
import { ScenarioLimits } from "./ScenarioLimits.ts"
import { Span } from "./Units.ts"

/** Conditions on one kind of metric. */
const conditions = (pattern: RegExp, example: string) => {
  const message = `must be a condition such as ${example}`
  const Condition = Schema.String.annotate({ message }).check(
    Schema.isPattern(pattern, { message })
  )
  return (description: string) =>
    optional(
      Schema.NonEmptyArray(Condition).annotate({ message: "must be a list of conditions" }),
      description
    )
}

const spans = conditions(
  /^(?:avg|med|min|max|p\([0-9]{1,2}(?:\.[0-9]{1,3})?\))\s*(?:<|<=|>|>=)\s*[0-9]+(?:\.[0-9]+)?$/,
  "p(99)<1000, avg<200 or max<=5000"
)
const shares = conditions(
  /^(?:rate|count)\s*(?:<|<=|>|>=)\s*[0-9]+(?:\.[0-9]+)?$/,
  "rate<0.01 or count<=5"
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
      joinMs: spans("Milliseconds of a join, from connecting to the whole state."),
      patchMs: spans(
        "Milliseconds from a player's message to the next patch; in relay rooms to its arrival."
      ),
      pingMs: spans("Milliseconds of a ping of a player to the service and back."),
      refused: shares("Joins that are refused: rate of all joins, or count."),
      dropped: shares("Connections that the service ends: rate of all joins, or count.")
    }),
    {},
    "What the run must keep, by metric: lists of conditions such as p(99)<1000."
  )
})
