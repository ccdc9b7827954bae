import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { keyParts, projectPart } from "../http/PathParts.ts"
import { labelText } from "../shared/LabelText.ts"
import { KeyNotFound } from "../shared/Refusal.ts"
import { Scopes } from "../shared/Scope.ts"
import { KeyLimits } from "./KeyLimits.ts"

/** One API key; its secret is in no row. Moments are ISO 8601. Source: D-17, D-18. */
const facts = {
  label: Schema.String,
  scopes: Schema.Array(Schema.Literals(Scopes)),
  createdAt: Moment,
  lastUsed: Schema.NullOr(Moment),
  revokedAt: Schema.NullOr(Moment)
}

export const KeyRow = Schema.Struct({ keyId: keyParts.keyId, ...facts }).annotate({
  identifier: "ApiKey",
  description: "An API key, without its secret."
})
export type KeyRow = typeof KeyRow.Type

/** The only answer that ever holds the secret. */
const MintedKey = Schema.Struct({
  keyId: keyParts.keyId,
  secret: Schema.String,
  ...facts
}).annotate({
  identifier: "MintedApiKey",
  description: "An API key and its secret, which nothing shows again."
})

const KeyScopes = Schema.NonEmptyArray(Schema.Literals(Scopes)).check(
  Schema.makeFilter(
    (scopes) => new Set(scopes).size === scopes.length || "must name each scope once"
  )
)

/** A project's API keys. The login credential of its account only. Spec: Endpoints, Project API keys. */
export class KeysApi extends HttpApiGroup.make("keys")
  .annotateMerge(
    OpenApi.annotations({
      title: "API keys",
      description:
        "Keys with which programs manage rooms. These routes take the developer's own login, never a key."
    })
  )
  .add(
    HttpApiEndpoint.post("mint", "/v1/projects/:id/keys", {
      params: projectPart,
      query: NoQuery,
      payload: Schema.Struct({ scopes: KeyScopes, label: labelText(KeyLimits.keyLabelChars.max) }),
      success: MintedKey.pipe(HttpApiSchema.status(201))
    })
      .annotate(OpenApi.Summary, "Mints an API key, whose secret is in this answer only.")
      .annotateMerge(audited("key.mint", "keyId")),
    HttpApiEndpoint.get("list", "/v1/projects/:id/keys", {
      params: projectPart,
      query: NoQuery,
      success: Schema.Array(KeyRow)
    }).annotate(OpenApi.Summary, "Lists a project's API keys, the revoked ones among them."),
    HttpApiEndpoint.delete("revoke", "/v1/projects/:id/keys/:keyId", {
      params: keyParts,
      query: NoQuery,
      success: KeyRow,
      error: onWire(KeyNotFound)
    })
      .annotate(OpenApi.Summary, "Revokes an API key; its row stays.")
      .annotateMerge(audited("key.revoke", "keyId"))
  )
  .middleware(ProjectAccess) {}
