import { Context } from "effect"

/** Whether the body of a route is a bundle, which has a limit and a refusal of its own. */
export const TakesBundle = Context.Reference<boolean>("@atrium/domain/deployments/TakesBundle", {
  defaultValue: () => false
})
