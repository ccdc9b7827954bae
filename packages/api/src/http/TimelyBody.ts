import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

import { errorResponse } from "./ErrorResponse.ts"

/** How long a body may be on its way, and what it is called. */
export interface BodyTime {
  readonly ms: number
  readonly noun: string
}

const lateAnswer = ({ ms, noun }: BodyTime): HttpServerResponse.HttpServerResponse => {
  const minutes = ms === 60_000 ? "a minute" : `${ms / 60_000} minutes`
  const message = `body: the ${noun} did not come within ${minutes}`
  return HttpServerResponse.setHeader(
    errorResponse(new BadRequest({ message }), 408),
    "connection",
    "close"
  )
}

/** A request whose body has to come within a span: it holds a place that others wait for. */
export const timely = (
  request: HttpServerRequest.HttpServerRequest,
  time: BodyTime
): typeof request => {
  const inTime = <A, E, R>(body: Effect.Effect<A, E, R>): PropertyDescriptor => ({
    value: Effect.timeoutOrElse(body, {
      duration: time.ms,
      orElse: () => Effect.die(lateAnswer(time))
    }),
    enumerable: true
  })
  return Object.create(request, {
    arrayBuffer: inTime(request.arrayBuffer),
    text: inTime(request.text)
  })
}
