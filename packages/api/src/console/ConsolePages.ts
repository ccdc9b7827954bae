import { readFileSync } from "node:fs"

import { NotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { errorResponse } from "../http/ErrorResponse.ts"
import { hashedFile, nameIn } from "../http/HashedFile.ts"
import { page } from "../http/Page.ts"
import { lockedHeaders } from "../http/PagePolicy.ts"
import { publicUrlOf } from "../http/PublicAddress.ts"
import { fill } from "../welcome/Fill.ts"
import { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { ConsoleFiles, type FirstFiles, type PageName } from "./ConsoleFiles.ts"

const template = readFileSync(new URL("./Console.html", import.meta.url), "utf8")
const folder = "/console/files/"

/**
 * Scripts and styles come from the folder of the console's files, and from nowhere else on this service, which
 * serves bytes of tenants, too. No text becomes code: the one policy of trusted types gives the address of the worker
 * that compares saves, and nothing else; the page of a replay has none.
 *
 * @param origin as the browser knows it; `null` = it names no host
 */
export const consolePolicy = (
  origin: string | null,
  name: PageName = "main"
): Readonly<Record<string, string>> => {
  const files = origin === null ? "'self'" : `${origin}${folder}`
  return lockedHeaders([
    `script-src ${files}`,
    `style-src ${files}`,
    "img-src data:",
    "connect-src 'self'",
    `trusted-types ${name === "main" ? "atrium-worker" : "'none'"}`
  ])
}

/** The page that runs the files of a name. */
const shellOf = Effect.fnUntraced(function* (name: PageName) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const built = yield* Effect.flatMap(ConsoleFiles, (files) => files.built)
  const { version } = yield* ServiceFacts
  const { build, compare } = built
  const html = htmlOf(built.first[name], { build, version, compare })
  return HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: { ...consolePolicy(publicUrlOf(headers), name), "x-robots-tag": "noindex" }
  })
})

const htmlOf = (
  { script, style, imports }: FirstFiles,
  made: { readonly build: string; readonly version: string; readonly compare: string }
): string =>
  fill(template, {
    texts: { ...made, script: folder + script, style: folder + style },
    parts: {}
  }).replace(
    "</head>",
    `${imports.map((name) => `<link rel="modulepreload" href="${folder}${name}" />`).join("")}</head>`
  )

const workerPolicy = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'"

const file = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const name = nameIn(folder, url)
  const { files } = yield* Effect.flatMap(ConsoleFiles, (made) => made.built)
  const found = files.get(name)
  if (found === undefined) return yield* new NotFound()
  // The worker that reads saves of tenants gets its policy from here, and not from the page.
  return yield* hashedFile(name, found, { "content-security-policy": workerPolicy })
})

const refusals = {
  E_NOT_FOUND: (refusal: NotFound) => Effect.succeed(errorResponse(refusal, 404)),
  E_NOT_READY: (refusal: { readonly _tag: "E_NOT_READY"; readonly message: string }) =>
    Effect.succeed(errorResponse(refusal, 503))
}

const shellPage = (path: `/${string}`, name: PageName) =>
  page(path, Effect.catchTag(shellOf(name), "E_NOT_READY", refusals.E_NOT_READY))

/**
 * The console, and the page that shows replays: every path below it is the same page, which finds by its address what to
 * show. Source: C-760, C-838.
 */
export const ConsolePages = [
  page("/console/files/*", Effect.catchTags(file, refusals)),
  shellPage("/console/*", "main"),
  shellPage("/replay/*", "replay")
]
