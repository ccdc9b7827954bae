import { timed, untimed } from "@atrium/actors/store/AnswerTime"
import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { DeployTurn } from "@atrium/domain/deployments/DeployTurn"
import { CallersProject } from "@atrium/domain/http/Credential"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"

import { notBegun } from "../http/NotBegun.ts"
import { timely } from "../http/TimelyBody.ts"
import { TurnQueue } from "../http/TurnQueue.ts"

/** Each deployment holds a bundle and a process that describes it. */
export const deployBounds = {
  places: DeploymentLimits.deploysAtOnce.max,
  ofProject: 1,
  waiting: DeploymentLimits.deploysWaiting.max,
  waitingOfProject: DeploymentLimits.projectDeploysWaiting.max,
  waitMs: DeploymentLimits.deployWait.ms,
  busy: notBegun(new NotReady({ message: "deployments: others are under way; try again" }))
}

const bodyTime = { ms: DeploymentLimits.deployUpload.ms, noun: "bundle" }

/** A deployment takes its turn before its bundle is read, so that bundles do not wait in memory. */
export const DeployTurns = Layer.sync(DeployTurn, () => {
  const queue = new TurnQueue(deployBounds)
  return (httpEffect) =>
    Effect.flatMap(CallersProject, ({ projectId }) =>
      untimed(
        queue.run(
          projectId,
          timed(
            Effect.updateService(httpEffect, HttpServerRequest.HttpServerRequest, (request) =>
              timely(request, bodyTime)
            )
          )
        )
      )
    )
})
