import { AnswerTime, CurrentAnswerTime } from "@atrium/actors/store/AnswerTime"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { type Cause, Effect, Exit, Fiber } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"

import { errorResponse } from "./ErrorResponse.ts"

const overdue = errorResponse(
  new NotReady({ message: "the service did not answer within 5 s; a change may still be made" }),
  503
)

const goingDown = HttpServerResponse.setHeader(
  errorResponse(
    new NotReady({ message: "the service is going down; a change may still be made" }),
    503
  ),
  "connection",
  "close"
)

/**
 * Answers every request in time, also while the database stands still, and when the service goes down:
 * then a request has a second left. What was asked is left to end by itself: a query ends with its
 * connection or with the database's answer, everything else now.
 */
export const withAnswerTime = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.suspend(() => {
    const time = new AnswerTime(HttpLimits.httpAnswer.ms)
    const answering = Effect.forkDetach(Effect.provideService(app, CurrentAnswerTime, time))
    return Effect.flatMap(answering, (fiber) => {
      const over = Effect.as(time.over, overdue)
      return Effect.interruptible(Effect.raceFirst(Fiber.await(fiber), Effect.exit(over))).pipe(
        Effect.exit,
        Effect.flatMap((waited) => {
          if (Exit.isSuccess(waited)) return waited.value
          // Nobody reads the answer of a request whose caller has left: it goes on as it was.
          const last = callerLeft(waited.cause) ? over : Effect.as(shortly, goingDown)
          return Effect.raceFirst(Fiber.join(fiber), last)
        }),
        Effect.ensuring(
          Effect.suspend(() =>
            fiber.pollUnsafe() === undefined
              ? Effect.forkDetach(Fiber.interrupt(fiber))
              : Effect.void
          )
        )
      )
    })
  }).pipe(Effect.uninterruptible)

const shortly = Effect.sleep(HttpLimits.lastAnswer.ms)

const callerLeft = ({ reasons }: Cause.Cause<never>): boolean =>
  reasons.some(
    (reason) =>
      reason._tag === "Interrupt" && reason.annotations.has(HttpServerError.ClientAbort.key)
  )
