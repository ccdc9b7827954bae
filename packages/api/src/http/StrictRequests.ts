import { Strict } from "@atrium/domain/http/Credential"
import { faultSentence } from "@atrium/domain/http/FaultSentence"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** Names the part of a request that does not fit the contract. Source: D-02; spec: Errors. */
export const StrictRequests = HttpApiMiddleware.layerSchemaErrorTransform(Strict, (error) => {
  // An answer that does not fit its own contract is a fault of the service, not of the caller.
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  const message = faultSentence(nouns[error.kind], error.cause.issue)
  return Effect.fail(new BadRequest({ message }))
})

const nouns = {
  Query: "query parameter",
  Payload: "field",
  Params: "path part",
  Headers: "header"
} as const
