import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { Api } from "@atrium/domain/http/Api"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import {
  BadRequest,
  BodyTooLarge,
  BundleTooLarge,
  Internal,
  MethodNotAllowed,
  NotFound,
  NotReady
} from "@atrium/domain/shared/Refusal"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { ByteSize, Effect, Schema } from "effect"
import {
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"

/** Any refusal, in the one shape of errors. Source: D-02. */
export const errorResponse = (
  refusal: { readonly _tag: string; readonly message: string },
  status: number
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error: { code: refusal._tag, message: refusal.message } },
    { status, headers: headersOf(status) }
  )

const headersOf = (status: number): Record<string, string> => ({
  "content-type": "application/json; charset=utf-8",
  ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  ...(status === 503 ? { "retry-after": "1" } : {})
})

const withoutStore = errorResponse(new NotReady({ message: "the store does not answer" }), 503)

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Array<string>
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[A-Za-z]+/g, "[^/]+")}$`)

const knownPaths: ReadonlyArray<KnownPath> = (() => {
  const byPath = new Map<string, KnownPath>()
  const add = (path: string, method: string): void => {
    const known = byPath.get(path) ?? { pattern: patternOf(path), methods: [] }
    known.methods.push(method)
    byPath.set(path, known)
  }
  for (const group of Object.values(Api.groups)) {
    for (const endpoint of Object.values(group.endpoints)) add(endpoint.path, endpoint.method)
  }
  for (const path of ["/login", "/health", "/ready", "/metrics", "/openapi.json", "/docs"])
    add(path, "GET")
  return [...byPath.values()]
})()

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

/** The methods that the path of this address takes; none = there is no such path. */
export const methodsOf = (url: string): ReadonlyArray<string> => {
  const path = pathOf(url)
  return knownPaths.find(({ pattern }) => pattern.test(path))?.methods ?? []
}

const isBundleUpload = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.method === "POST" && /^\/v1\/projects\/[^/]+\/deployments$/.test(pathOf(request.url))

/** What the body of this request may weigh. */
const bodyLimit = (request: HttpServerRequest.HttpServerRequest): number =>
  isBundleUpload(request) ? BundleLimits.bundleBytes.max : HttpLimits.bodyBytes.max

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
        // An outage is told once, by whoever watches the store.
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

const tooLarge = (request: HttpServerRequest.HttpServerRequest) =>
  isBundleUpload(request)
    ? errorResponse(new BundleTooLarge({ message: "bundle: over 32 MiB" }), 413)
    : errorResponse(new BodyTooLarge({ message: "body: over 1 MiB" }), 413)

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

/** What a refusal's body says in milliseconds its header says in seconds, rounded up. Source: D-26. */
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
