import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { NotFound } from "../shared/Refusal.ts"
import { eachMeter, Standings, Tiers } from "./Caps.ts"

/** Where one meter stands, in its own unit; `ceiling` is the owner's, `null` = none. */
const MeterStanding = Schema.Struct({
  used: Schema.Finite,
  allowance: Schema.Int,
  ceiling: Schema.NullOr(Schema.Int),
  state: Schema.Literals(Standings)
}).annotate({
  identifier: "MeterStanding",
  description: "One meter, in its own unit; `ceiling` is the owner's, `null` = none."
})

/** Where a project stands against its caps in the calendar month, UTC. Source: D-10. */
export const Caps = Schema.Struct({
  tier: Schema.Literals(Tiers),
  period: Schema.Struct({ start: Moment, end: Moment }),
  meters: Schema.Struct(eachMeter(MeterStanding))
}).annotate({
  identifier: "Caps",
  description: "Where a project stands against its caps in the calendar month, UTC."
})
export type Caps = typeof Caps.Type

const aCeiling = "must be a whole number of 0 or more, or null"
const Ceiling = Schema.NullOr(
  Schema.Number.annotate({ message: aCeiling }).check(
    Schema.isInt({ message: aCeiling }),
    Schema.isGreaterThanOrEqualTo(0, { message: aCeiling })
  )
).annotate({ message: aCeiling })

const project = { params: projectPart, query: NoQuery }

/** Usage caps of a project: the developer's own login credential. Spec: Project settings and caps. */
export class CapsApi extends HttpApiGroup.make("caps")
  .annotateMerge(
    OpenApi.annotations({
      title: "Caps",
      description:
        "Usage of billed meters in the calendar month: hours, minutes and bytes. Room hours and minutes have fractions."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/caps", {
      ...project,
      success: Caps,
      error: onWire(NotFound)
    }).annotate(OpenApi.Summary, "Tells where a project stands against its caps."),
    HttpApiEndpoint.patch("set", "/v1/projects/:id/caps", {
      ...project,
      payload: Schema.Struct({ caps: Schema.Struct(eachMeter(Schema.optionalKey(Ceiling))) }),
      success: Caps,
      error: onWire(NotFound)
    })
      .annotate(
        OpenApi.Summary,
        "Sets the owner's ceilings of the meters that are named; null clears one."
      )
      .annotateMerge(audited("caps.set"))
  )
  .middleware(ProjectAccess) {}
