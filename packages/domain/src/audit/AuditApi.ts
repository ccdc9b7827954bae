import { DateTime, Option, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { LoginRequired, ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { projectPart } from "../http/PathParts.ts"
import { AuditLimits } from "./AuditLimits.ts"

/** How an audited request ended. `unknown` = the answer was a fault, or its caller went away: it may have been carried out. */
export const AuditOutcomes = ["done", "unknown"] as const
export type AuditOutcome = (typeof AuditOutcomes)[number]

/** One line of the audit log. Source: C-233. */
export const AuditRow = Schema.Struct({
  at: Moment,
  action: Schema.String,
  outcome: Schema.Literals(AuditOutcomes),
  project: Schema.NullOr(Schema.String),
  target: Schema.NullOr(Schema.String),
  actor: Schema.String,
  address: Schema.String,
  requestId: Schema.String
}).annotate({
  identifier: "AuditRow",
  description: "Who did what: `actor` is the id of a login or of an API key."
})
export type AuditRow = typeof AuditRow.Type

const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text) && Option.isSome(DateTime.make(text))

const limitForm = `must be a whole number from 1 to ${AuditLimits.auditRows.max}`

/** Filters of the rows: since a moment, the newest first. */
const page = {
  since: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (text) => isMoment(text) || "must be a moment in UTC such as 2026-11-21T11:44:00Z"
      )
    )
  ),
  limit: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (text) =>
          (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= AuditLimits.auditRows.max) || limitForm
      )
    )
  )
}

/** The audit log: the developer's own login credential. Source: C-233. */
export class AuditApi extends HttpApiGroup.make("audit")
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit log",
      description: "Who made, changed, deleted, deployed, restored or revoked what, for 90 days."
    })
  )
  .add(
    HttpApiEndpoint.get("project", "/v1/projects/:id/audit", {
      params: projectPart,
      query: page,
      success: Schema.Array(AuditRow)
    })
      .annotate(OpenApi.Summary, "Lists what was done to a project, newest first.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.get("account", "/v1/me/audit", {
      query: page,
      success: Schema.Array(AuditRow)
    })
      .annotate(
        OpenApi.Summary,
        "Lists what was done to the account and all of its projects, deleted ones too."
      )
      .middleware(LoginRequired)
  ) {}
