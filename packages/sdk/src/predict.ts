/** Physics on the client, ahead of the room: `@atrium/sdk/predict`. */
export type { BodyRole, PredictionBudgets } from "./predict/BodyRoles.ts"
export type { PredictedWorld, PredictOptions } from "./predict/PredictOptions.ts"
export {
  type DrawnPose,
  type PredictedInput,
  Prediction,
  type PredictionStats
} from "./predict/Prediction.ts"
export { predict } from "./predict/predict.ts"
