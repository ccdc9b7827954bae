import { timed, untimed } from "@atrium/actors/store/AnswerTime"
import { RouteBody } from "@atrium/domain/http/BodyBound"
import { CallersProject } from "@atrium/domain/http/Credential"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { SiteBodyTurn } from "@atrium/domain/sites/SitesApi"
import { KiB } from "@atrium/wire/limits/Limit"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"

import { notBegun } from "../http/NotBegun.ts"
import { timely } from "../http/TimelyBody.ts"
import { TurnQueue } from "../http/TurnQueue.ts"
import { makeStorageWall } from "../meters/StorageWall.ts"

const bounds = {
  places: SiteLimits.siteBodiesBytes.max / KiB,
  ofProject: SiteLimits.siteBodies.max,
  waiting: SiteLimits.siteBodiesWaiting.max,
  waitingOfProject: SiteLimits.siteProjectBodiesWaiting.max,
  waitMs: SiteLimits.siteBodyWait.ms,
  busy: notBegun(new NotReady({ message: "uploads: others are under way; try again" }))
}
const bodyTime = { ms: SiteLimits.siteBody.ms, noun: "file" }

/** A list of files takes several times its size in memory when it is read. */
const listWeight = 4

/**
 * A body of an upload is read when there is memory for it, and waits at its sender until then. One that
 * does not say its size counts as the largest. At the storage wall none is read.
 */
export const SiteBodyTurns = Layer.effect(
  SiteBodyTurn,
  Effect.map(makeStorageWall, (belowWall) => {
    const queue = new TurnQueue(bounds)
    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const { projectId } = yield* CallersProject
        yield* belowWall(projectId)
        const { headers, method } = yield* HttpServerRequest.HttpServerRequest
        const { bytes: most } = Context.get(endpoint.annotations, RouteBody)
        const bytes = Math.min(most, Number(headers["content-length"] ?? most))
        const kib = Math.ceil((bytes * (method === "POST" ? listWeight : 1)) / KiB)
        const answer = Effect.updateService(
          httpEffect,
          HttpServerRequest.HttpServerRequest,
          (request) => timely(request, bodyTime)
        )
        return yield* untimed(queue.run(projectId, timed(answer), Math.max(1, kib)))
      })
  })
)
