import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

import { NotFound } from "../Refusal.ts"
import { NoQuery } from "./NoQuery.ts"
import { onWire } from "./onWire.ts"

/** A player without an account: an id and the token that proves it, for 24 hours. Source: D-27. */
const Identity = Schema.Struct({
  playerId: Schema.String,
  token: Schema.String,
  expiresAt: Schema.String
})

/** Open endpoints about a player's identity: the project id is the credential. Source: D-26. */
export class IdentityApi extends HttpApiGroup.make("identity").add(
  HttpApiEndpoint.post("mint", "/v1/identity", {
    query: NoQuery,
    payload: Schema.Struct({ project: Schema.String }),
    success: Identity.pipe(HttpApiSchema.status(201)),
    error: onWire(NotFound)
  })
) {}
