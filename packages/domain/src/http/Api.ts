import { HttpApi, OpenApi } from "effect/http-api"

import { AudienceApi } from "./AudienceApi.ts"
import { AuditApi } from "./AuditApi.ts"
import { CapsApi } from "./CapsApi.ts"
import { Strict } from "./Credential.ts"
import { IdentityApi } from "./IdentityApi.ts"
import { KeysApi } from "./KeysApi.ts"
import { LobbyApi } from "./LobbyApi.ts"
import { ApprovalApi, LoginApi } from "./LoginApi.ts"
import { MeApi } from "./MeApi.ts"
import { MetricsApi } from "./MetricsApi.ts"
import { ProjectsApi } from "./ProjectsApi.ts"
import { RoomsApi } from "./RoomsApi.ts"

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
