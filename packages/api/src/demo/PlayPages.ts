import { NotFound, type NotReady } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { errorResponse } from "../http/ErrorResponse.ts"
import { hashedFile, nameIn } from "../http/HashedFile.ts"
import { page } from "../http/Page.ts"
import { publicUrlOf } from "../http/PublicAddress.ts"
import { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { type GameName, gameNames } from "./Examples.ts"
import { gameHeaders } from "./GamePage.ts"
import { Games, scriptFolder } from "./Games.ts"
import { playground } from "./Playground.ts"

const shownGame = Effect.fnUntraced(function* (name: GameName) {
  const shown = yield* playground
  if (shown === null || !shown.games.includes(name)) return yield* new NotFound()
  return shown.projectId
})

const answer = Effect.fnUntraced(function* (name: GameName) {
  const projectId = yield* shownGame(name)
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const game = yield* Effect.flatMap(Games, (games) => games.page(name))
  const { url } = yield* ServiceFacts
  return HttpServerResponse.text(game.html(projectId), {
    contentType: "text/html; charset=utf-8",
    headers: gameHeaders(game, publicUrlOf(headers) ?? url)
  })
})

const script = Effect.gen(function* () {
  yield* shownGame("marbles")
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const { name, ...file } = yield* Effect.flatMap(Games, (games) => games.script)
  if (nameIn(scriptFolder, url) !== name) return yield* new NotFound()
  return yield* hashedFile(name, file)
})

const refusals = {
  E_NOT_FOUND: (refusal: NotFound) => Effect.succeed(errorResponse(refusal, 404)),
  E_NOT_READY: (refusal: NotReady) => Effect.succeed(errorResponse(refusal, 503))
}

const playPage = (name: GameName) => page(`/play/${name}`, Effect.catchTags(answer(name), refusals))

/** The examples, to be played at once: two tabs are two players. Source: C-393. */
export const PlayPages = [
  ...gameNames.map(playPage),
  page(`${scriptFolder}*`, Effect.catchTags(script, refusals))
]
