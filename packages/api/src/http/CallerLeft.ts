import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/**
 * Completes when the caller of this request has closed the connection. The request of a caller that has left
 * goes on otherwise, as it may be a change; one that only waits for something ends with it.
 */
export const callerLeft: Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> =
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.callback<void>((resume) => {
      const response = NodeHttpServerRequest.toServerResponse(request)
      if (response.destroyed) return resume(Effect.void)
      const left = (): void => resume(Effect.void)
      response.once("close", left)
      return Effect.sync(() => void response.off("close", left))
    })
  )
