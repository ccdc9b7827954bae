import { timed, untimed } from "@atrium/actors/store/AnswerTime"
import { CallersProject } from "@atrium/domain/http/Credential"
import { DeployTurn } from "@atrium/domain/http/DeployTurn"
import { Limits } from "@atrium/domain/Limits"
import { BadRequest } from "@atrium/domain/Refusal"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { errorResponse } from "../http/ErrorResponses.ts"
import { DeployQueue } from "./DeployQueue.ts"

const late = HttpServerResponse.setHeader(
  errorResponse(new BadRequest({ message: "body: the bundle did not come within a minute" }), 408),
  "connection",
  "close"
)

/** A request whose body has to come within a span: it holds a place that others wait for. */
export const timely = (request: HttpServerRequest.HttpServerRequest): typeof request => {
  const arrayBuffer = request.arrayBuffer.pipe(
    Effect.timeoutOrElse({ duration: Limits.deployUpload.ms, orElse: () => Effect.die(late) })
  )
  return Object.create(request, { arrayBuffer: { value: arrayBuffer, enumerable: true } })
}

/** A deployment takes its turn before its bundle is read, so that bundles do not wait in memory. */
export const DeployTurns = Layer.sync(DeployTurn, () => {
  const queue = new DeployQueue()
  return (httpEffect) =>
    Effect.flatMap(CallersProject, ({ projectId }) =>
      untimed(
        queue.run(
          projectId,
          timed(Effect.updateService(httpEffect, HttpServerRequest.HttpServerRequest, timely))
        )
      )
    )
})
