import { readFileSync } from "node:fs"

import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { type GameName, gameNames } from "../demo/Examples.ts"
import { playground } from "../demo/Playground.ts"
import { page } from "../http/Page.ts"
import { pageHeaders } from "../http/PagePolicy.ts"
import { publicUrlOf } from "../http/PublicAddress.ts"
import { fill } from "./Fill.ts"
import { ServiceFacts } from "./ServiceFacts.ts"

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")

const style = read("./FirstPage.css")
const script = read("./FirstPageScript.js")
const template = read("./FirstPage.html")
  .replace("<style></style>", () => `<style>${style}</style>`)
  .replace("<script></script>", () => `<script type="module">${script}</script>`)

const headers = pageHeaders({ scripts: [script], styles: [style], pictures: true })

/** What runs here, games to play, and what to do next. Source: C-392. */
export const FirstPage = page(
  "/",
  Effect.gen(function* () {
    const facts = yield* ServiceFacts
    // Without its store the service still has this page.
    const shown = yield* Effect.catchCause(playground, () => Effect.succeed(null))
    const games = shown === null || shown.games.length === 0 ? null : shown.games
    const request = yield* HttpServerRequest.HttpServerRequest
    const url = publicUrlOf(request.headers) ?? facts.url
    const html = fill(template, {
      texts: {
        version: facts.version,
        url,
        // The command line looks for a service at this address by itself.
        at: /^http:\/\/(?:127\.0\.0\.1|localhost):8787$/.test(url) ? "" : ` --url ${url}`,
        websocket: url.replace(/^http/, "ws"),
        database: facts.ownDatabase ? "its own" : "given by DATABASE_URL"
      },
      parts: { ...shownParts(games), "no-games": games === null }
    })
    return HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8", headers })
  })
)

/** Each game, and then the part that holds them. */
const shownParts = (games: ReadonlyArray<GameName> | null) => ({
  ...Object.fromEntries(gameNames.map((name) => [name, games?.includes(name) ?? false])),
  games: games !== null
})
