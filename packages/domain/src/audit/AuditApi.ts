import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { LoginRequired, ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { limitQuery, sinceQuery } from "../http/PageQuery.ts"
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

/** Filters of the rows: since a moment, the newest first. */
const page = { since: sinceQuery, limit: limitQuery(AuditLimits.auditRows.max) }

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
