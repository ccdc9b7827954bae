import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { LoginRequired } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { MailAddress } from "../mail/MailAddress.ts"
import { CapKinds } from "./CapAlerts.ts"
import { Meters, Tiers } from "./Caps.ts"

/** A share of a cap that a project has used in this period. */
const CapAlert = Schema.Struct({
  project: Schema.String,
  name: Schema.String,
  tier: Schema.Literals(Tiers),
  meter: Schema.Literals(Meters),
  /** Whose cap: the plan's, or the one that the owner has set. */
  cap: Schema.Literals(CapKinds),
  /** 80, or 100: the cap is reached. */
  percent: Schema.Int,
  /** The cap in the unit of its meter. */
  bound: Schema.Int,
  at: Moment
}).annotate({
  identifier: "CapAlert",
  description:
    "A share of a cap that a project has used in the calendar month, and when: `percent` 80, or 100 when the cap is reached."
})

/** What an account pays by, and the alerts of its projects in the calendar month, UTC. Source: D-40, C-503. */
export const Billing = Schema.Struct({
  tier: Schema.Literals(Tiers),
  period: Schema.Struct({ start: Moment, end: Moment }),
  mail: Schema.NullOr(Schema.String),
  alerts: Schema.Array(CapAlert)
}).annotate({
  identifier: "Billing",
  description:
    "The alerts of an account's projects in the calendar month, UTC, and the address that gets their mails; `null` = none. `tier` is `card` when a project of the account has that plan."
})
export type Billing = typeof Billing.Type

/** The account's alerts and the address for their mails: the developer's own login credential. */
export class BillingApi extends HttpApiGroup.make("billing")
  .annotateMerge(
    OpenApi.annotations({
      title: "Billing",
      description: "Alerts of caps that are near or reached, and who gets the mails about them."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/billing", { query: NoQuery, success: Billing }).annotate(
      OpenApi.Summary,
      "Reads the alerts of the account's projects."
    ),
    HttpApiEndpoint.patch("set", "/v1/billing", {
      query: NoQuery,
      payload: Schema.Struct({ mail: Schema.NullOr(MailAddress) }),
      success: Billing
    })
      .annotate(
        OpenApi.Summary,
        "Sets the address that gets a mail when a cap is reached; null clears it."
      )
      .annotateMerge(audited("billing.set"))
  )
  .middleware(LoginRequired) {}
