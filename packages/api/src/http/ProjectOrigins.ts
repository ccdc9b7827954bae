import { allowsOrigin, type Origins } from "@atrium/domain/projects/Origins"
import { OriginRefused } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** The refusal of a page that the project does not list. Source: D-30. */
export const unlistedOrigin = (origin: string): OriginRefused =>
  new OriginRefused({ message: serviceMessage(`origin: not in the project's list: ${origin}`) })

/** A page whose origin is not allowed may not read its refusal either. */
const withoutEcho = (
  _: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) => Effect.succeed(HttpServerResponse.removeHeader(response, "access-control-allow-origin"))

/** Lets pass what no page sends, and pages that the project lists. Source: D-30, D-56. */
export const fromListed = Effect.fnUntraced(function* ({ origins }: { readonly origins: Origins }) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const origin = headers["origin"]
  if (origin === undefined || allowsOrigin(origins, origin)) return
  yield* HttpEffect.appendPreResponseHandler(withoutEcho)
  return yield* unlistedOrigin(origin)
})
