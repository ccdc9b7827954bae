import { randomHex } from "@atrium/actors/store/Secrets"
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** The header that brings the id of a request to its caller. */
export const requestIdHeader = "x-request-id"

/** An id of a request: 16 hex digits of chance. */
export const makeRequestId = (): string => randomHex(16)

const ids = new WeakMap<object, string>()

/**
 * The id of a request, as Node's server hands it out: made when it is first asked for, the same from then on. A
 * header of that name in the request counts for nothing: a caller could forge lines of the log.
 * Source: C-232.
 */
export const requestIdOf = (request: object): string => {
  const known = ids.get(request)
  if (known !== undefined) return known
  const made = makeRequestId()
  ids.set(request, made)
  return made
}

/** The id of the request that is being answered; `null` where none is. */
export const RequestId = Context.Reference<string | null>("@atrium/api/http/RequestId", {
  defaultValue: () => null
})

/** Every line that is logged while a request is answered bears its id. */
export const withRequestIds = <A, E, R>(app: Effect.Effect<A, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const id = requestIdOf(request.source)
    return app.pipe(Effect.provideService(RequestId, id), Effect.annotateLogs({ request: id }))
  })
