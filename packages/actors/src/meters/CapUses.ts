import {
  type CapWall,
  type Meter,
  Meters,
  type Tier,
  Tiers,
  wallOf
} from "@atrium/domain/meters/Caps"
import { inOwnUnit } from "@atrium/domain/meters/Metering"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"

import { projectTable } from "../projects/ProjectStore.ts"
import { byText, type MemoryTables } from "../store/MemoryDatabase.ts"
import { ceilingTable } from "./CapStore.ts"
import { usesIn as usesOfPeriod } from "./MemoryMeters.ts"
import type { PlanAllowances } from "./PlanAllowances.ts"

export interface UsesQuery {
  readonly projectIds: ReadonlyArray<ProjectId>
  readonly meters: ReadonlyArray<Meter>
  /** Of the billing period, Unix milliseconds. */
  readonly startMs: number
}

/** The use of one meter. A meter that nobody used counts 0, and reaches no ceiling but 0. */
export interface ProjectUse {
  readonly projectId: ProjectId
  readonly meter: Meter
  readonly tier: Tier
  readonly used: number
  readonly ceiling: number | null
}

/** The columns of {@link selectUses}. */
export const useFields = {
  projectId: ProjectId,
  meter: Schema.Literals(Meters),
  tier: Schema.Literals(Tiers),
  amount: Schema.Number,
  ceiling: Schema.NullOr(Schema.Int)
}

/** A row of {@link selectUses}, its amount in the meter's own unit. */
export const useOf = ({
  amount,
  ...row
}: Omit<ProjectUse, "used"> & { readonly amount: number }): ProjectUse => ({
  ...row,
  used: inOwnUnit(row.meter, amount)
})

/** The columns of a use, from {@link fromUses}. */
export const useColumns = (sql: SqlClient.SqlClient) => sql`
  p.project_id, wanted.meter, p.plan as tier, coalesce(m.amount, 0)::bigint as amount, c.ceiling`

/** A row for each project `p` and each of the meters. */
export const fromUses = (sql: SqlClient.SqlClient, { meters, startMs }: UsesQuery) => sql`
  from projects p
    cross join json_array_elements_text(${JSON.stringify(meters)}::json) wanted(meter)
    left join meter_uses m on m.project_id = p.project_id
      and m.meter = wanted.meter and m.period_starts_at_ms = ${startMs}
    left join caps c on c.project_id = p.project_id and c.meter = wanted.meter`

/** What makes a use a wall. */
export interface WallRules {
  readonly allowances: (typeof PlanAllowances)["Service"]
  /** The end of the billing period, Unix milliseconds. */
  readonly endMs: number
}

/** The wall that a use has reached; `null` = none. */
export const wallAt = (
  { meter, ...use }: Omit<ProjectUse, "projectId">,
  { allowances, endMs }: WallRules
): CapWall | null => {
  const cap = wallOf({ ...use, allowance: allowances[use.tier][meter] })
  return cap === null ? null : { meter, cap, endMs }
}

/** The wall of the first of these meters that has one. */
export const firstWall = (
  uses: ReadonlyArray<ProjectUse>,
  meters: ReadonlyArray<Meter>,
  rules: WallRules
): CapWall | null => {
  for (const meter of meters) {
    const use = uses.find((one) => one.meter === meter)
    const wall = use === undefined ? null : wallAt(use, rules)
    if (wall !== null) return wall
  }
  return null
}

/** The same rows of a database in memory. */
export const usesInMemory = (
  tables: MemoryTables,
  { projectIds, meters, startMs }: UsesQuery
): ReadonlyArray<ProjectUse> =>
  [...projectTable.rowsIn(tables).values()]
    .filter(({ projectId }) => projectIds.includes(projectId))
    .sort((one, other) => byText(one.projectId, other.projectId))
    .flatMap(({ projectId, plan }) =>
      meters.map((meter) => ({
        projectId,
        meter,
        tier: plan,
        used: usesOfPeriod(tables, { projectId, startMs })[meter],
        ceiling: ceilingTable.rowsIn(tables).get(projectId)?.[meter] ?? null
      }))
    )
