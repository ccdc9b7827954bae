import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { projectPart } from "../http/PathParts.ts"
import { eachMeter } from "./Caps.ts"

const UsedDay = Schema.Struct({ day: Schema.String, ...eachMeter(Schema.Finite) })

/** What a project used of each meter, by day in UTC. Source: D-40, C-508. */
export const Usage = Schema.Struct({
  from: Moment,
  to: Moment,
  days: Schema.Array(UsedDay)
}).annotate({
  identifier: "Usage",
  description:
    "What a project used of each meter on each day in UTC, of the calendar month and the twelve before it; days without use are left out."
})
export type Usage = typeof Usage.Type

/** What projects have used: the developer's own login credential. */
export class UsageApi extends HttpApiGroup.make("usage")
  .annotateMerge(
    OpenApi.annotations({
      title: "Usage",
      description: "What a project used of each meter, by day."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/usage", {
      params: projectPart,
      query: NoQuery,
      headers: Schema.Struct({ accept: Schema.optionalKey(Schema.String) }),
      success: [
        Usage,
        Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv; charset=utf-8" }))
      ]
    }).annotate(
      OpenApi.Summary,
      "Reads what a project used on each day: as JSON, or as a table by `accept: text/csv`."
    )
  )
  .middleware(ProjectAccess) {}
