import { HttpApi } from "effect/http-api"

import { Strict } from "./Credential.ts"
import { IdentityApi } from "./IdentityApi.ts"
import { ProjectsApi } from "./ProjectsApi.ts"

/** The HTTP API of the service, contract only. Unknown fields and parameters are refused (D-02). */
export class Api extends HttpApi.make("atrium")
  .add(ProjectsApi)
  .add(IdentityApi)
  .middleware(Strict)
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.HeadersParseOptions, {}) {}
