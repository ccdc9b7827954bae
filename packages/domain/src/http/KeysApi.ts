import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

import { Limits } from "../Limits.ts"
import { KeyNotFound } from "../Refusal.ts"
import { Scopes } from "../Scope.ts"
import { ProjectAccess } from "./Credential.ts"
import { labelText } from "./LabelText.ts"
import { NoQuery } from "./NoQuery.ts"
import { onWire } from "./onWire.ts"

/** One API key; its secret is in no row. Moments are ISO 8601. Source: D-17, D-18. */
const facts = {
  label: Schema.String,
  scopes: Schema.Array(Schema.Literals(Scopes)),
  createdAt: Schema.String,
  lastUsed: Schema.NullOr(Schema.String),
  revokedAt: Schema.NullOr(Schema.String)
}

export const KeyRow = Schema.Struct({ keyId: Schema.String, ...facts })
export type KeyRow = typeof KeyRow.Type

/** The only answer that ever holds the secret. */
export const MintedKey = Schema.Struct({
  keyId: Schema.String,
  secret: Schema.String,
  ...facts
})
export type MintedKey = typeof MintedKey.Type

const KeyScopes = Schema.NonEmptyArray(Schema.Literals(Scopes)).check(
  Schema.makeFilter(
    (scopes) => new Set(scopes).size === scopes.length || "must name each scope once"
  )
)

/** A project's API keys. The login credential of its account only. Spec: Endpoints, Project API keys. */
export class KeysApi extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("mint", "/v1/projects/:id/keys", {
      params: { id: Schema.String },
      query: NoQuery,
      payload: Schema.Struct({ scopes: KeyScopes, label: labelText(Limits.keyLabelChars.max) }),
      success: MintedKey.pipe(HttpApiSchema.status(201))
    }),
    HttpApiEndpoint.get("list", "/v1/projects/:id/keys", {
      params: { id: Schema.String },
      query: NoQuery,
      success: Schema.Array(KeyRow)
    }),
    HttpApiEndpoint.delete("revoke", "/v1/projects/:id/keys/:keyId", {
      params: { id: Schema.String, keyId: Schema.String },
      query: NoQuery,
      success: KeyRow,
      error: onWire(KeyNotFound)
    })
  )
  .middleware(ProjectAccess) {}
