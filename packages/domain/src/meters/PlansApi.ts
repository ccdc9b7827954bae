import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { LoginRequired } from "../http/Credential.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { NotFound } from "../shared/Refusal.ts"
import { Tiers } from "./Caps.ts"

/** The plan of any project: for the login of the service's operator alone. Source: C-507. */
export class PlansApi extends HttpApiGroup.make("plans")
  .annotateMerge(
    OpenApi.annotations({
      title: "Plans",
      description:
        "The plans of projects. The account that the first start made sets them; to any other login the route is not there."
    })
  )
  .add(
    HttpApiEndpoint.put("set", "/v1/fleet/projects/:id/plan", {
      params: projectPart,
      query: NoQuery,
      payload: Schema.Struct({ plan: Schema.Literals(Tiers) }),
      success: Schema.Struct({ id: Schema.String, plan: Schema.Literals(Tiers) }),
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Sets the plan of a project, of whatever account.")
      .annotateMerge(audited("project.plan", "id"))
  )
  .middleware(LoginRequired) {}
