import { type Allowances, allowances, type Tier } from "@atrium/domain/meters/Caps"
import { Context } from "effect"

/** What a month allows a project of each plan, as the operator has configured it. Source: C-500. */
export const PlanAllowances = Context.Reference<Record<Tier, Allowances>>(
  "@atrium/actors/meters/PlanAllowances",
  { defaultValue: () => allowances }
)
