import { AnswerTime, CurrentAnswerTime } from "@atrium/actors/store/AnswerTime"
import { Limits } from "@atrium/domain/Limits"
import { NotReady } from "@atrium/domain/Refusal"
import { Effect, Fiber } from "effect"
import type { HttpServerResponse } from "effect/http"

import { errorResponse } from "./ErrorResponses.ts"

const overdue = errorResponse(
  new NotReady({ message: "the service did not answer within 5 s; a change may still be made" }),
  503
)

/**
 * Answers every request in time, also while the database stands still. What was asked is left to end
 * by itself: a query ends with its connection or with the database's answer, everything else now.
 */
export const withAnswerTime = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.suspend(() => {
    const time = new AnswerTime(Limits.httpAnswer.ms)
    const answering = Effect.forkDetach(Effect.provideService(app, CurrentAnswerTime, time))
    return Effect.flatMap(answering, (fiber) =>
      Effect.raceFirst(Fiber.join(fiber), Effect.as(time.over, overdue)).pipe(
        Effect.ensuring(
          Effect.suspend(() =>
            fiber.pollUnsafe() === undefined
              ? Effect.forkDetach(Fiber.interrupt(fiber))
              : Effect.void
          )
        )
      )
    )
  })
