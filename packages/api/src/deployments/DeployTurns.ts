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
import { makeStorageWall } from "../meters/StorageWall.ts"

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

/**
 * A deployment takes its turn before its bundle is read, so that bundles do not wait in memory. At the
 * storage wall no bundle is read.
 */
export const DeployTurns = Layer.effect(
  DeployTurn,
  Effect.map(makeStorageWall, (belowWall) => {
    const queue = new TurnQueue(deployBounds)
    return (httpEffect) =>
      Effect.gen(function* () {
        const { projectId } = yield* CallersProject
        yield* belowWall(projectId)
        const answer = Effect.updateService(
          httpEffect,
          HttpServerRequest.HttpServerRequest,
          (request) => timely(request, bodyTime)
        )
        return yield* untimed(queue.run(projectId, timed(answer)))
      })
  })
)
