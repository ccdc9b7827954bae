import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"

import { Api } from "./Api.ts"
import { docsPath } from "./KnownPaths.ts"
import { sourceHash } from "./PagePolicy.ts"

/** A script ends at the first end tag; a start tag inside of it is text. */
const scriptsIn = (html: string): ReadonlyArray<string> => {
  const scripts: Array<string> = []
  for (let at = html.indexOf("<script>"); at >= 0; at = html.indexOf("<script>", at)) {
    const from = at + "<script>".length
    const end = html.indexOf("</script>", from)
    if (end < 0) break
    scripts.push(html.slice(from, end))
    at = end
  }
  return scripts
}

/** Nothing runs or loads in the page but what is in it; it may ask this service, and nobody else. */
const headersFor = (html: string) => {
  const scripts = scriptsIn(html).map(sourceHash)
  return {
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${scripts.join(" ")}`,
      "style-src 'unsafe-inline'",
      "img-src data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'"
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer"
  }
}

/** The page has the same path in the little router that makes it. */
const ownRequest = HttpServerRequest.fromWeb(new Request(`http://localhost${docsPath}`))

const render = Effect.gen(function* () {
  const app = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(Api, { path: docsPath }))
  const { body } = yield* Effect.provideService(
    app,
    HttpServerRequest.HttpServerRequest,
    ownRequest
  )
  if (body._tag !== "Uint8Array") return yield* Effect.die(new Error("the page has no text"))
  const html = new TextDecoder().decode(body.body)
  return HttpServerResponse.uint8Array(body.body, {
    contentType: "text/html; charset=utf-8",
    headers: headersFor(html)
  })
}).pipe(Effect.scoped, Effect.orDie)

/**
 * The API to look through and try. The page is two megabytes of script, so it is made when somebody
 * first asks for it. Source: C-32.
 */
export const DocsPage = HttpRouter.use((router) =>
  Effect.flatMap(Effect.cached(render), (page) => router.add("GET", docsPath, page))
)
