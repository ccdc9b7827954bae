import { NotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { errorResponse } from "../http/ErrorResponse.ts"
import { page } from "../http/Page.ts"
import { publicUrlOf } from "../http/PublicAddress.ts"
import { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { gameHeaders } from "./GamePage.ts"
import { type GameName, gameNames, Games } from "./Games.ts"
import { playground } from "./Playground.ts"

const answer = Effect.fnUntraced(function* (name: GameName) {
  const projectId = yield* playground
  if (projectId === null) return yield* new NotFound()
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const game = yield* Effect.flatMap(Games, (games) => games.page(name))
  const { url } = yield* ServiceFacts
  return HttpServerResponse.text(game.html(projectId), {
    contentType: "text/html; charset=utf-8",
    headers: gameHeaders(game, publicUrlOf(headers) ?? url)
  })
})

const playPage = (name: GameName) =>
  page(
    `/play/${name}`,
    answer(name).pipe(
      Effect.catchTags({
        E_NOT_FOUND: (refusal) => Effect.succeed(errorResponse(refusal, 404)),
        E_NOT_READY: (refusal) => Effect.succeed(errorResponse(refusal, 503))
      })
    )
  )

/** The examples, to be played at once: two tabs are two players. Source: C-393. */
export const PlayPages = gameNames.map(playPage)
