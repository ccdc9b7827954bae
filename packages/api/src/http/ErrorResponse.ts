import { HttpServerResponse } from "effect/http"

/** Any refusal, in the one shape of errors. Source: D-02. */
export const errorResponse = (
  refusal: { readonly _tag: string; readonly message: string },
  status: number
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error: { code: refusal._tag, message: refusal.message } },
    { status, headers: headersOf(status) }
  )

/** The headers that every error of a status has. */
export const headersOf = (status: number): Record<string, string> => ({
  "content-type": "application/json; charset=utf-8",
  ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  ...(status === 503 ? { "retry-after": "1" } : {})
})
