import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { errorResponse } from "../http/ErrorResponse.ts"
import { listed } from "../http/ListHeader.ts"
import { page } from "../http/Page.ts"
import { type PackageName, Tarballs } from "./Tarballs.ts"

const answer = Effect.fnUntraced(function* (name: PackageName) {
  const tarballs = yield* Tarballs
  const { bytes, etag } = yield* tarballs.read(name)
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return listed(headers["if-none-match"]).includes(etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag } })
    : HttpServerResponse.uint8Array(bytes, {
        contentType: "application/gzip",
        headers: { etag, "cache-control": "no-cache", "x-content-type-options": "nosniff" }
      })
})

/** The answer to a request for a package, refusals included. */
export const tarballAnswer = (name: PackageName) =>
  answer(name).pipe(
    Effect.catchTags({
      E_NOT_FOUND: (refusal) => Effect.succeed(errorResponse(refusal, 404)),
      E_NOT_READY: (refusal) => Effect.succeed(errorResponse(refusal, 503))
    })
  )

const tarballPage = (name: PackageName) => page(`/${name}.tgz`, tarballAnswer(name))

/** `npm i http://127.0.0.1:8787/sdk.tgz`: what a game, its developer and another implementation install. */
export const TarballPages = [tarballPage("sdk"), tarballPage("cli"), tarballPage("spec-tests")]
