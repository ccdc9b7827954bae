import { section, tierB } from "../Section.ts"

/** Lines 504 to 505 of the specification: Client-side prediction budgets. */
export const predictionBudgetsSection = section("Limits / Client-side prediction budgets", {
  "predict.bodies": tierB(504, "maxPredictedBodies default 64; beyond: kinematic proxies", {
    probe: ["sdk"],
    hooks: [],
    features: ["prediction", "sdk"],
    is: { maxPredictedBodies: 64, beyond: "Kinematic proxies" }
  }),
  "predict.proxies": tierB(505, "maxProxyBodies default 256; beyond: no local collider", {
    probe: ["sdk"],
    hooks: [],
    features: ["prediction", "sdk"],
    is: { maxProxyBodies: 256, beyond: "No local collider" }
  })
})
