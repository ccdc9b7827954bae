import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { NotFound } from "../shared/Refusal.ts"
import { IdentityProviders } from "./IdentityProviders.ts"

const project = { params: projectPart, query: NoQuery }
const Listed = Schema.Struct({ providers: IdentityProviders })

/** The identity providers that a project trusts. The project's owner sets them.  Source: C-541. */
export class IdentityProvidersApi extends HttpApiGroup.make("providers")
  .annotateMerge(
    OpenApi.annotations({
      title: "Identity providers",
      description:
        "Whose signed tokens prove players to a project: Google, Auth0, a school's login."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/identity", {
      ...project,
      success: Listed,
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Lists the identity providers of a project.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.put("set", "/v1/projects/:id/identity", {
      ...project,
      payload: Listed,
      success: Listed,
      error: onWire(NotFound)
    })
      .annotate(
        OpenApi.Summary,
        "Sets the identity providers of a project; they replace those before, on every runner at once."
      )
      .annotateMerge(audited("identity.set", "id"))
      .middleware(ProjectAccess)
  ) {}
