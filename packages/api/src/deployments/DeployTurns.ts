import { timed, untimed } from "@atrium/actors/store/AnswerTime"
import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { DeployTurn } from "@atrium/domain/deployments/DeployTurn"
import { CallersProject } from "@atrium/domain/http/Credential"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { errorResponse } from "../http/ErrorResponse.ts"
import { DeployQueue } from "./DeployQueue.ts"

const late = HttpServerResponse.setHeader(
  errorResponse(new BadRequest({ message: "body: the bundle did not come within a minute" }), 408),
  "connection",
  "close"
)

/** A request whose body has to come within a span: it holds a place that others wait for. */
export const timely = (request: HttpServerRequest.HttpServerRequest): typeof request => {
  const arrayBuffer = request.arrayBuffer.pipe(
    Effect.timeoutOrElse({
      duration: DeploymentLimits.deployUpload.ms,
      orElse: () => Effect.die(late)
    })
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
