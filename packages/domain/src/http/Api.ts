import { HttpApi } from "effect/http-api"

import { CapsApi } from "./CapsApi.ts"
import { Strict } from "./Credential.ts"
import { IdentityApi } from "./IdentityApi.ts"
import { KeysApi } from "./KeysApi.ts"
import { LobbyApi } from "./LobbyApi.ts"
import { ApprovalApi, LoginApi } from "./LoginApi.ts"
import { MeApi } from "./MeApi.ts"
import { ProjectsApi } from "./ProjectsApi.ts"
import { RoomsApi } from "./RoomsApi.ts"

/** The HTTP API of the service, contract only. Unknown fields and parameters are refused (D-02). */
export class Api extends HttpApi.make("atrium")
  .add(ProjectsApi)
  .add(CapsApi)
  .add(KeysApi)
  .add(RoomsApi)
  .add(LobbyApi)
  .add(LoginApi)
  .add(ApprovalApi)
  .add(MeApi)
  .add(IdentityApi)
  .middleware(Strict)
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.HeadersParseOptions, {}) {}
