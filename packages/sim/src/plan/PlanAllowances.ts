import { type Allowances, allowances } from "@atrium/domain/meters/Caps"

import type { Scenario } from "../scenario/Scenario.ts"

/** What the scenario's plan includes of each meter: what the file names, else the service's default for the tier. */
export const planAllowances = ({ plan }: Pick<Scenario, "plan">): Allowances => ({
  ...allowances[plan.tier],
  ...plan.allowances
})
