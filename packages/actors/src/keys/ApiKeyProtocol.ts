import {
  KeyNotFound,
  NotFound,
  NotReady,
  ScopeMissing,
  Unauthenticated
} from "@atrium/domain/shared/Refusal"
import { Scopes } from "@atrium/domain/shared/Scope"
import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/**
 * The actor of an API key, keyed by the key's id. Its row is what survives. Callers put a timeout
 * around each call; `E_NOT_READY` says that the store was away, and nothing is known to have happened.
 */
export const ApiKeyActor = Entity.make("ApiKey", [
  /** A request about `projectId`, whatever the form of that is, wants to do what `scope` allows. */
  Rpc.make("Use", {
    payload: { projectId: Schema.String, scope: Schema.Literals(Scopes) },
    error: Schema.Union([Unauthenticated, NotFound, ScopeMissing, NotReady])
  }),
  /** From the answer on the key is refused everywhere. */
  Rpc.make("Revoke", {
    payload: { projectId: Schema.String },
    error: Schema.Union([KeyNotFound, NotReady])
  })
])
