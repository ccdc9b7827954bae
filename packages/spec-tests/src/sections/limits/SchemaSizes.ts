import { thrown } from "../Literals.ts"
import { sdkRow } from "../RowKinds.ts"
import { section } from "../Section.ts"
import { atMost } from "../Units.ts"
import { buildsUpToItsLimit } from "./SchemaLimits.ts"

/** Lines 370 to 372 of the specification: Schema limits. */
export const schemaSizesSection = section("Limits / Schema limits", {
  "limits.schema.fields.entity": sdkRow(370, "255 fields per entity", {
    boundary: { ...atMost(255, "count"), outcome: thrown },
    check: buildsUpToItsLimit
  }),
  "limits.schema.fields.singleton": sdkRow(370, "255 fields per singleton", {
    literalsOf: "limits.schema.fields.entity",
    check: buildsUpToItsLimit
  }),
  "limits.schema.messages": sdkRow(371, "256 message shapes per schema", {
    boundary: { ...atMost(256, "count"), outcome: thrown },
    check: buildsUpToItsLimit
  }),
  "limits.schema.rpcs": sdkRow(372, "60,000 RPCs both directions together", {
    boundary: { ...atMost(60_000, "count"), outcome: thrown },
    check: buildsUpToItsLimit
  })
})
