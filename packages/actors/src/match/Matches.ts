import { readUserCode, userCodeBytes, userCodeOf } from "@atrium/domain/logins/UserCode"
import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import {
  NotReady,
  type PartyFull,
  PartyUnknown,
  type QueueNoType
} from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer } from "effect"

import { answeredOr } from "../cluster/ActorAnswer.ts"
import { RandomHex } from "../store/Secrets.ts"
import type { QueueKey, TicketRow } from "./MatchRows.ts"
import { MatchStore } from "./MatchStore.ts"
import type { Party, Ticket } from "./QueueMachine.ts"
import { QueueActor, queueKeyText } from "./QueueProtocol.ts"

/** A ticket, and why it waits if it does. */
export type ShownTicket = TicketRow & { readonly why?: string }

/** A ticket that waits, and why. */
type WaitingTicket = Ticket & { readonly why: string }

/** A player who queues. */
export interface Queueing {
  readonly playerId: string
  /** The code of a party. */
  readonly party: string | null
  readonly waitMs: number
}

/** Quick match as its endpoints see it. A failing store is a defect, or `E_NOT_READY`. */
export class Matches extends Context.Service<
  Matches,
  {
    join(
      key: QueueKey,
      queueing: Queueing
    ): Effect.Effect<ShownTicket, PartyUnknown | PartyFull | QueueNoType | NotReady>
    /** `null` = the project has no such ticket. */
    find(projectId: string, ticketId: string): Effect.Effect<ShownTicket | null, NotReady>
    /** Who waits, the first one first. @param most how many are told */
    waiting(key: QueueKey, most: number): Effect.Effect<ReadonlyArray<WaitingTicket>, NotReady>
    mintParty(key: QueueKey, size: number): Effect.Effect<Party>
  }
>()("@atrium/actors/match/Matches") {
  static readonly layer = Layer.effect(
    Matches,
    Effect.gen(function* () {
      const store = yield* MatchStore
      const actorOf = yield* QueueActor.client
      const makeHex = yield* RandomHex
      const queueOf = ({ projectId, queue }: QueueKey) => actorOf(queueKeyText(projectId, queue))

      const find = Effect.fn("Matches.find")(function* (projectId: string, ticketId: string) {
        // A malformed id answers like an unknown one, and no store is asked about it.
        if (!isTicketId(ticketId)) return null
        const row = yield* store.find(projectId, ticketId)
        if (row?.status !== "waiting") return row
        const why = yield* answered(queueOf(row).Why({ ticketId }))
        // It has ended in the meantime.
        return why === null ? yield* store.find(projectId, ticketId) : { ...row, why }
      })

      const join = Effect.fn("Matches.join")(function* (key: QueueKey, queueing: Queueing) {
        const ticketId = `mt_${makeHex(32)}`
        const party = queueing.party === null ? null : readUserCode(queueing.party)
        if (party === null && queueing.party !== null) return yield* new PartyUnknown()
        yield* answered(queueOf(key).Join({ ...queueing, party, ticketId }))
        const ticket = yield* find(key.projectId, ticketId)
        // Only its project's deletion removes a ticket so soon.
        return ticket ?? (yield* gone)
      })

      const waiting = Effect.fn("Matches.waiting")(function* (key: QueueKey, most: number) {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = (yield* store.waiting(key)).filter(({ expiresAtMs }) => expiresAtMs > nowMs)
        const told = yield* Effect.forEach(
          rows.slice(0, most),
          (ticket) =>
            Effect.map(answered(queueOf(key).Why(ticket)), (why) =>
              // It has ended in the meantime.
              why === null ? [] : [{ ...ticket, why }]
            ),
          { concurrency: 4 }
        )
        return told.flat()
      })

      const mintParty = Effect.fn("Matches.mintParty")(function* (key: QueueKey, size: number) {
        const expiresAtMs = (yield* Clock.currentTimeMillis) + QueueLimits.partyCodeLife.ms
        const code = userCodeOf(Buffer.from(makeHex(2 * userCodeBytes), "hex"))
        const party = { code, size, expiresAtMs }
        yield* store.addParty(key, party)
        return party
      })

      return { join, find, waiting, mintParty }
    })
  )
}

const isTicketId = (text: string): boolean => /^mt_[0-9a-f]{32}$/.test(text)

const gone = new NotReady({ message: "the project is being deleted" })
const answered = answeredOr(new NotReady({ message: "the queue's actor does not answer" }))
