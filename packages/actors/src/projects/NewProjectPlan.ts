import type { Tier } from "@atrium/domain/meters/Caps"
import { Context } from "effect"

/** The plan of a project that is made from now on, as the operator has configured it. Source: C-500. */
export const NewProjectPlan = Context.Reference<Tier>("@atrium/actors/projects/NewProjectPlan", {
  defaultValue: () => "card"
})
