import { thrown } from "../Literals.ts"
import { section, tierB } from "../Section.ts"
import { atMost } from "../Units.ts"
import { buildsUpToItsLimit } from "./SchemaLimits.ts"

/** Lines 370 to 372 of the specification: Schema limits. */
export const schemaSizesSection = section("Limits / Schema limits", {
  "limits.schema.fields.entity": tierB(370, "255 fields per entity", {
    probe: ["sdk"],
    hooks: [],
    features: ["sdk"],
    boundary: { ...atMost(255, "count"), outcome: thrown },
    check: buildsUpToItsLimit
  }),
  "limits.schema.fields.singleton": tierB(370, "255 fields per singleton", {
    probe: ["sdk"],
    hooks: [],
    features: ["sdk"],
    literalsOf: "limits.schema.fields.entity",
    check: buildsUpToItsLimit
  }),
  "limits.schema.messages": tierB(371, "256 message shapes per schema", {
    probe: ["sdk"],
    hooks: [],
    features: ["sdk"],
    boundary: { ...atMost(256, "count"), outcome: thrown },
    check: buildsUpToItsLimit
  }),
  "limits.schema.rpcs": tierB(372, "60,000 RPCs both directions together", {
    probe: ["sdk"],
    hooks: [],
    features: ["sdk"],
    boundary: { ...atMost(60_000, "count"), outcome: thrown },
    check: buildsUpToItsLimit
  })
})
