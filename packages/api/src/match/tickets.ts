import { Matches } from "@atrium/actors/match/Matches"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { TicketsApi } from "@atrium/domain/match/TicketsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { queueOf } from "./QueueOf.ts"

/** Who waits in a queue, as the owner of the project sees it. Source: C-808. */
export const TicketsHandlers = HttpApiBuilder.group(
  apiOf(TicketsApi),
  "tickets",
  Effect.fnUntraced(function* (handlers) {
    const matches = yield* Matches
    const projects = yield* ProjectStore
    return handlers.handleAll({
      list: Effect.fn("tickets.list")(function* ({ query }) {
        const { projectId } = yield* CallersProject
        const project = Option.getOrElse(yield* projects.find(projectId), () => ({ queues: {} }))
        const { name } = yield* queueOf(project, query.queue)
        const { limit = String(QueueLimits.ticketsListed.max) } = query
        const waiting = yield* matches.waiting({ projectId, queue: name }, Number(limit))
        return waiting.map(({ playerId, party, rating, queuedAtMs, expiresAtMs, why }) => ({
          playerId,
          party: party !== null,
          rating,
          since: isoOf(queuedAtMs),
          expiresAt: isoOf(expiresAtMs),
          why
        }))
      })
    })
  })
)
