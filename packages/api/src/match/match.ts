import { Matches } from "@atrium/actors/match/Matches"
import type { TicketRow } from "@atrium/actors/match/MatchRows"
import { MatchStore } from "@atrium/actors/match/MatchStore"
import type { ProjectRow } from "@atrium/actors/projects/ProjectStore"
import { answerCall } from "@atrium/actors/rooms/AnsweredCall"
import { apiOf } from "@atrium/domain/http/Api"
import { backfillCall, MatchApi } from "@atrium/domain/match/MatchApi"
import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { partyMost } from "@atrium/domain/match/QueueRules"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { NotFound, Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import type { OpenRate } from "../http/OpenRates.ts"
import { makeOpenProject } from "../projects/OpenProject.ts"
import { PlayerTokens } from "../router/PlayerTokens.ts"
import { queueOf, queueRefused } from "./QueueOf.ts"

export const matchJoinRate: OpenRate = {
  address: QueueLimits.matchJoinsByAddress,
  subject: QueueLimits.matchJoins
}

export const partyRate: OpenRate = {
  address: QueueLimits.partyMintsByAddress,
  subject: QueueLimits.partyMints
}

/** Of tickets and of queues. Source: D-31. */
export const matchReadRate: OpenRate = {
  address: QueueLimits.matchReadsByAddress,
  subject: QueueLimits.matchReads
}

/** Quick match. */
export const MatchHandlers = HttpApiBuilder.group(
  apiOf(MatchApi),
  "match",
  Effect.fnUntraced(function* (handlers) {
    const matches = yield* Matches
    const store = yield* MatchStore
    const { there, playerOf, shown } = yield* makeParts

    return handlers.handleAll({
      join: Effect.fn("match.join")(function* ({ payload }) {
        const project = yield* there(matchJoinRate, payload.project)
        const playerId = yield* playerOf(project, payload.identity)
        const { name } = yield* queueOf(project, payload.queue)
        const key = { projectId: project.projectId, queue: name }
        const { party, waitMs = QueueLimits.matchWait.ms } = payload
        const ticket = yield* matches.join(key, { playerId, party: party ?? null, waitMs })
        return yield* shown(ticket)
      }),
      ticket: Effect.fn("match.ticket")(function* ({ params, query }) {
        const { projectId } = yield* there(matchReadRate, query.project)
        const row = yield* matches.find(projectId, params.ticket)
        return row === null ? yield* new NotFound() : yield* shown(row)
      }),
      party: Effect.fn("match.party")(function* ({ payload }) {
        const project = yield* there(partyRate, payload.project)
        if (payload.identity !== undefined) yield* playerOf(project, payload.identity)
        const { name, rules } = yield* queueOf(project, payload.queue)
        const { size = QueueLimits.partySize.min } = payload
        const most = partyMost(rules)
        if (size > most)
          return yield* queueRefused(`size: a party of queue ${name} has at most ${most}`)
        const key = { projectId: project.projectId, queue: name }
        const party = yield* matches.mintParty(key, size)
        return { code: party.code, expiresAt: isoOf(party.expiresAtMs) }
      }),
      status: Effect.fn("match.status")(function* ({ query }) {
        const project = yield* there(matchReadRate, query.project)
        const { name } = yield* queueOf(project, query.queue)
        const nowMs = yield* Clock.currentTimeMillis
        const key = { projectId: project.projectId, queue: name }
        const { depth, oldestAtMs } = yield* store.depth(key, nowMs)
        return { queue: name, depth, oldestMs: oldestAtMs === null ? null : nowMs - oldestAtMs }
      })
    })
  })
)

const makeParts = Effect.gen(function* () {
  const openProject = yield* makeOpenProject
  const tokens = yield* PlayerTokens

  const there = (rate: OpenRate, project: string) => openProject(rate, project, Effect.succeed)

  /** What would let its bearer join any room of the project proves a player of it. Source: C-603. */
  const playerOf = ({ projectId }: ProjectRow, identity: string) =>
    tokens.verify(identity, { projectId, roomId: "*" }).pipe(
      Effect.map(({ playerId }) => playerId),
      Effect.mapError(() => new Unauthenticated())
    )

  const shown = Effect.fnUntraced(function* (row: TicketRow & { readonly why?: string }) {
    const { projectId, roomId, playerId, queue, team } = row
    const ticket = {
      ticket: row.ticketId,
      queue: row.queue,
      status: row.status,
      since: isoOf(row.queuedAtMs)
    }
    if (row.why !== undefined) return { ...ticket, why: row.why }
    if (roomId === null) return ticket
    const party = row.party?.code ?? null
    const token = yield* tokens.mintMatch({ projectId, roomId, playerId, queue, team, party })
    return { ...ticket, roomId, token, ...(team === null ? {} : { team }) }
  })

  return { there, playerOf, shown }
})

/** What room code asks of the noun: `match.backfill`. */
export const matchCalls = {
  backfill: answerCall(
    backfillCall,
    Effect.fnUntraced(function* (room, { seats }) {
      const { offer } = yield* MatchStore
      yield* offer(room, seats)
      return {}
    })
  )
}
