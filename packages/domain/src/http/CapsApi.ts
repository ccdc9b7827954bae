import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

import { eachMeter, Standings, Tiers } from "../Caps.ts"
import { NotFound } from "../Refusal.ts"
import { ProjectAccess } from "./Credential.ts"
import { NoQuery } from "./NoQuery.ts"
import { onWire } from "./onWire.ts"

/** Where one meter stands, in its own unit; `ceiling` is the owner's, `null` = none. */
const MeterStanding = Schema.Struct({
  used: Schema.Number,
  allowance: Schema.Int,
  ceiling: Schema.NullOr(Schema.Int),
  state: Schema.Literals(Standings)
})

/** Where a project stands against its caps in the calendar month, UTC. Source: D-10. */
export const Caps = Schema.Struct({
  tier: Schema.Literals(Tiers),
  period: Schema.Struct({ start: Schema.String, end: Schema.String }),
  meters: Schema.Struct(eachMeter(MeterStanding))
})
export type Caps = typeof Caps.Type

const aCeiling = "must be a whole number of 0 or more, or null"
const Ceiling = Schema.NullOr(
  Schema.Number.annotate({ message: aCeiling }).check(
    Schema.isInt({ message: aCeiling }),
    Schema.isGreaterThanOrEqualTo(0, { message: aCeiling })
  )
).annotate({ message: aCeiling })

const project = { params: { id: Schema.String }, query: NoQuery }

/** Usage caps of a project: the developer's own login credential. Spec: Project settings and caps. */
export class CapsApi extends HttpApiGroup.make("caps")
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/caps", {
      ...project,
      success: Caps,
      error: onWire(NotFound)
    }),
    HttpApiEndpoint.patch("set", "/v1/projects/:id/caps", {
      ...project,
      payload: Schema.Struct({ caps: Schema.Struct(eachMeter(Schema.optionalKey(Ceiling))) }),
      success: Caps,
      error: onWire(NotFound)
    })
  )
  .middleware(ProjectAccess) {}
