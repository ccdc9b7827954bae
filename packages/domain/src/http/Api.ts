import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"

import { Strict } from "./Credential.ts"

const description = `Hosts rooms for multiplayer games: this API manages projects, rooms, saves and keys.

Bodies are JSON. Every refusal is \`{"error":{"code":"E_…","message":"…"}}\`, its message at most 96
bytes that name the culprit first; unknown fields and parameters are refused. Any route may also
answer 405, 413, 500 and 503 in that form. Every answer has a header \`x-request-id\` that the log has, too.

Within \`/v1\` fields, routes and codes are only added. What is to go is announced by the headers
\`deprecation\` and \`sunset\` six months before, at least.`

/**
 * The HTTP API of some groups, contract only: of one noun for its handlers, of every noun for the
 * service. Unknown fields and parameters are refused (D-02).
 */
export const apiOf = <const Group extends HttpApiGroup.Constraint>(
  ...groups: readonly [Group, ...ReadonlyArray<Group>]
) =>
  HttpApi.make("atrium")
    .add(...groups)
    .middleware(Strict)
    .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "first" })
    .annotate(HttpApi.HeadersParseOptions, {})
    .annotateMerge(OpenApi.annotations({ title: "Atrium", version: "1", description }))
