import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import {
  BadRequest,
  BodyTooLarge,
  BundleTooLarge,
  Internal,
  MethodNotAllowed,
  NotFound,
  NotReady
} from "@atrium/domain/shared/Refusal"
import { MiB } from "@atrium/wire/limits/Limit"
import { ByteSize, Effect, Schema } from "effect"
import {
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"

import { errorResponse, headersOf } from "./ErrorResponse.ts"
import { bodyBoundOf, methodsOf } from "./KnownPaths.ts"

const withoutStore = errorResponse(new NotReady({ message: "the store does not answer" }), 503)

/** The most bytes that the body of this request may have. */
const bodyLimit = (request: HttpServerRequest.HttpServerRequest): number => {
  const { bytes, noun } = bodyBoundOf(request)
  return noun === "bundle" ? bytes + settingsLimit(request) : bytes
}

/** Settings come before the bundle, when the request says so. Source: C-321. */
const settingsLimit = ({ url }: HttpServerRequest.HttpServerRequest): number =>
  url.includes("?settingsBytes=") ? DeploymentLimits.deploySettingsBytes.max : 0

/**
 * Gives every answer that is not of a handler's making the shape of an error: unknown paths and
 * methods, bodies that are too large or of the wrong type, and faults.
 */
export const withErrorResponses = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const limit = bodyLimit(request)
    if (Number(request.headers["content-length"] ?? 0) > limit) return tooLarge(request)
    const response = yield* app.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
      Effect.catchCause((cause) =>
        // `StoreWatch` logs an outage, once.
        isStoreAway(cause)
          ? Effect.succeed(withoutStore)
          : Effect.flatMap(HttpServerError.causeResponse(cause), ([response, rest]) =>
              response.status < 500
                ? Effect.succeed(response)
                : Effect.as(Effect.logError("a request failed", rest), response)
            )
      )
    )
    return response.status >= 400 ? shape(request, response) : response
  })

const isShaped = (response: HttpServerResponse.HttpServerResponse): boolean =>
  response.headers["content-type"]?.startsWith("application/json") === true

const tooLarge = (request: HttpServerRequest.HttpServerRequest) => {
  const { bytes, noun } = bodyBoundOf(request)
  const message = `${noun}: over ${bytes / MiB} MiB`
  return noun === "bundle"
    ? errorResponse(new BundleTooLarge({ message }), 413)
    : errorResponse(new BodyTooLarge({ message }), 413)
}

const shape = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  // A refusal of a handler or a middleware: its body stands, its headers are completed.
  if (isShaped(response)) {
    return HttpServerResponse.setHeaders(response, {
      ...headersOf(response.status),
      ...retryAfterOf(response)
    })
  }
  switch (response.status) {
    case 404:
      return notFound(request)
    case 413:
      return tooLarge(request)
    case 415:
      return errorResponse(new BadRequest({ message: "content-type: not one that is taken" }), 400)
    case 400:
      return errorResponse(new BadRequest({ message: "the request is malformed" }), 400)
    default:
      return errorResponse(new Internal(), 500)
  }
}

/** The header has the seconds, rounded up, that the body has in milliseconds. Source: D-26. */
const retryAfterOf = ({
  status,
  body
}: HttpServerResponse.HttpServerResponse): Record<string, string> => {
  if (status !== 429 || body._tag !== "Uint8Array") return {}
  const { error } = decodeRateLimited(new TextDecoder().decode(body.body))
  return { "retry-after": String(Math.ceil(error.retryAfterMs / 1000)) }
}

const decodeRateLimited = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ retryAfterMs: Schema.Int }) }))
)

const notFound = (request: HttpServerRequest.HttpServerRequest) => {
  const methods = methodsOf(request.url)
  if (methods.length === 0) return errorResponse(new NotFound(), 404)
  const allow = methods.join(", ")
  const refusal = new MethodNotAllowed({ message: `${request.method}: only ${allow}` })
  return HttpServerResponse.setHeader(errorResponse(refusal, 405), "allow", allow)
}
