import { Effect, Result } from "effect"
import { type HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"

/**
 * A path is taken as it is written, in one way only. A client that resolves `rooms/..` before it asks
 * must not find itself at the project, with a slash behind it. An id may have any length that a
 * request line has: the one that is too long names nothing.
 */
export const exactPaths: (typeof HttpRouter.RouterConfig)["Service"] = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: Number.MAX_SAFE_INTEGER
}

/** Only `?` ends the path. A part that cannot be decoded is plain text. The target `*` is no path, and not the first page's. */
const readable = (request: HttpServerRequest.HttpServerRequest) => {
  const end = request.url.indexOf("?")
  const path = end < 0 ? request.url : request.url.slice(0, end)
  if (path === "*") return request.modify({ url: `/${request.url}` })
  const whole = Result.isSuccess(Result.try(() => decodeURIComponent(path)))
    ? path
    : path.replaceAll("%", "%25")
  const read = whole.replaceAll(";", "%3B").replaceAll("#", "%23")
  return read === path ? request : request.modify({ url: read + request.url.slice(path.length) })
}

/** Reads a malformed id of a path as the id of nothing, so that its route refuses it as an unknown one. */
export const withReadablePaths = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.updateService(app, HttpServerRequest.HttpServerRequest, readable)
