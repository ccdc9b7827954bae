import { section, tierB } from "../Section.ts"
import { predicts } from "./PredictionProbes.ts"

/** The defaults of the two budgets. */
const [bodies, proxies] = [64, 256]

/** Lines 504 to 505 of the specification: Client-side prediction budgets. */
export const predictionBudgetsSection = section("Limits / Client-side prediction budgets", {
  "predict.bodies": tierB(504, "maxPredictedBodies default 64; beyond: kinematic proxies", {
    probe: ["sdk"],
    hooks: [],
    features: ["prediction", "sdk"],
    is: { maxPredictedBodies: bodies, beyond: "Kinematic proxies" },
    check: predicts("64 bodies of others are predicted, one more is a kinematic proxy", {
      taken: [
        [{ own: 1, others: bodies }, [bodies, 0, 0]],
        [{ own: 1, others: bodies + 1 }, [bodies, 1, 0]],
        // One's own count for nothing.
        [{ own: bodies + 1, others: bodies + 1 }, [bodies, 1, 0]],
        [{ own: 1, others: 3, maxPredictedBodies: 2 }, [2, 1, 0]],
        [{ own: 1, others: 1, maxPredictedBodies: 0 }, [0, 1, 0]]
      ],
      refused: [
        { own: 1, others: 1, maxPredictedBodies: -1 },
        { own: 1, others: 1, maxPredictedBodies: 1.5 }
      ]
    })
  }),
  "predict.proxies": tierB(505, "maxProxyBodies default 256; beyond: no local collider", {
    probe: ["sdk"],
    hooks: [],
    features: ["prediction", "sdk"],
    is: { maxProxyBodies: proxies, beyond: "No local collider" },
    check: predicts("256 bodies are proxies, one more has no local collider", {
      taken: [
        [{ own: 1, others: bodies + proxies }, [bodies, proxies, 0]],
        [{ own: 1, others: bodies + proxies + 1 }, [bodies, proxies, 1]],
        [{ own: 1, others: 4, maxPredictedBodies: 1, maxProxyBodies: 2 }, [1, 2, 1]],
        [{ own: 1, others: 1, maxPredictedBodies: 0, maxProxyBodies: 0 }, [0, 0, 1]]
      ],
      refused: [
        { own: 1, others: 1, maxProxyBodies: -1 },
        { own: 1, others: 1, maxProxyBodies: 1.5 }
      ]
    })
  })
})
