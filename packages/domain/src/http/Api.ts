import { HttpApi, OpenApi } from "effect/http-api"

import { AudienceApi } from "../audience/AudienceApi.ts"
import { AuditApi } from "../audit/AuditApi.ts"
import { IdentityApi } from "../identity/IdentityApi.ts"
import { KeysApi } from "../keys/KeysApi.ts"
import { ApprovalApi, LoginApi } from "../logins/LoginApi.ts"
import { MeApi } from "../logins/MeApi.ts"
import { CapsApi } from "../meters/CapsApi.ts"
import { MetricsApi } from "../metrics/MetricsApi.ts"
import { ProjectsApi } from "../projects/ProjectsApi.ts"
import { LobbyApi } from "../rooms/LobbyApi.ts"
import { RoomsApi } from "../rooms/RoomsApi.ts"
import { Strict } from "./Credential.ts"

const description = `Hosts rooms for multiplayer games: this API manages projects, rooms, saves and keys.

Bodies are JSON. Every refusal is \`{"error":{"code":"E_…","message":"…"}}\`, its message at most 96
bytes that name the culprit first; unknown fields and parameters are refused. Any route may also
answer 405, 413, 500 and 503 in that form. Every answer has a header \`x-request-id\` that the log has, too.

Within \`/v1\` fields, routes and codes are only added. What is to go is announced by the headers
\`deprecation\` and \`sunset\` six months before, at least.`

/** The HTTP API of the service, contract only. Unknown fields and parameters are refused (D-02). */
export class Api extends HttpApi.make("atrium")
  .add(ProjectsApi)
  .add(CapsApi)
  .add(MetricsApi)
  .add(KeysApi)
  .add(AuditApi)
  .add(RoomsApi)
  .add(LobbyApi)
  .add(LoginApi)
  .add(ApprovalApi)
  .add(MeApi)
  .add(IdentityApi)
  .add(AudienceApi)
  .middleware(Strict)
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "first" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotateMerge(OpenApi.annotations({ title: "Atrium", version: "1", description })) {}
