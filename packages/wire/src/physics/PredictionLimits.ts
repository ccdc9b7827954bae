import { count, SecondMs, span } from "../limits/Limit.ts"

/** Prediction, which only `@atrium/sdk/predict` loads. Source: spec Client-side prediction budgets. */
export const PredictionLimits = {
  predictedBodies: count(
    "Non-owned predicted bodies (maxPredictedBodies), unless the game says otherwise",
    {
      max: 64,
      per: "prediction",
      past: "kinematic proxies"
    }
  ),
  proxyBodies: count("Proxies (maxProxyBodies), unless the game says otherwise", {
    max: 256,
    per: "prediction",
    past: "no local collider"
  }),
  predictedInputs: count("Inputs of a client that wait until the room has applied them", {
    max: 256,
    per: "prediction",
    past: "the oldest is applied no more"
  }),
  predictedAhead: span("Time by which a client is ahead of the last state that came", {
    ms: SecondMs,
    per: "prediction",
    past: "its world waits"
  }),
  predictedTrips: count("Round trips whose median says how far ahead a client is", {
    max: 20,
    per: "prediction",
    past: "the oldest is forgotten"
  })
} as const
