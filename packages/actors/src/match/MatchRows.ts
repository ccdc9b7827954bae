import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Data, type Effect } from "effect"

import type { Party, Reserved, RoomOffer, Ticket } from "./QueueMachine.ts"

/** A queue of a project. */
export interface QueueKey {
  readonly projectId: ProjectId
  readonly queue: string
}

/** Where a ticket stands. Source: D-31. */
export type TicketStatus = "waiting" | "matched" | "expired" | "retired"

/** A ticket, as its row holds it. */
export interface TicketRow extends QueueKey, Ticket {
  readonly status: TicketStatus
  /** The room of the match, and the place of the player's team in it. */
  readonly roomId: string | null
  readonly team: number | null
}

/** A ticket that waits no more. */
export interface EndedTicket {
  readonly ticketId: string
  readonly status: Exclude<TicketStatus, "waiting">
  readonly roomId: string | null
  readonly team: number | null
}

/** What one step of a queue changes: all of it is stored, or nothing. */
export interface QueueChange {
  readonly ended: ReadonlyArray<EndedTicket>
  readonly added: Ticket | null
  readonly nowMs: number
}

/**
 * A ticket of the change waits no more, by the word of another actor of the queue, or the one that is added is there
 * already. Nothing was stored.
 */
export class QueueMoved extends Data.TaggedError("QueueMoved") {}

/** A room that asks for players, and where it is up; `at` is `null` of one that is not: nobody is in it. */
export interface OfferedRoom extends RoomOffer {
  readonly at: { readonly epoch: number; readonly serverIndex: number } | null
  /** Seats of players in the room. */
  readonly maxClients: number
}

/** The rooms that may be offered. */
export interface WantedOffers extends QueueKey {
  readonly type: string
  /** Heard of since. */
  readonly sinceMs: number
  readonly most: number
  /** The rating of a room to which the queue has sent nobody. */
  readonly rating: number
}

/** The epoch of a room's incarnation, by which an older one changes nothing. */
export interface OfferingRoom {
  readonly projectId: ProjectId
  readonly roomId: string
  readonly epoch: number
}

/** What is stored of queues: their tickets and parties, and the seats that rooms offer. */
export interface MatchRows {
  /** The tickets that wait, in the order in which they came. */
  waiting(key: QueueKey): Effect.Effect<ReadonlyArray<Ticket>>
  /** Seats of rooms that were filled up since then. @param forMs how long they count from their match */
  reserved(
    key: QueueKey,
    span: { readonly sinceMs: number; readonly forMs: number }
  ): Effect.Effect<ReadonlyArray<Reserved>>
  /** Stores a step of the queue: every ticket that ends waits until now. */
  change(key: QueueKey, change: QueueChange): Effect.Effect<void, QueueMoved>
  /** `null` = the project has no such ticket. */
  find(projectId: string, ticketId: string): Effect.Effect<TicketRow | null>
  /** Tickets that wait, and since when the first. Those whose wait is over by `nowMs` are not counted. */
  depth(
    key: QueueKey,
    nowMs: number
  ): Effect.Effect<{ readonly depth: number; readonly oldestAtMs: number | null }>
  addParty(key: QueueKey, party: Party): Effect.Effect<void>
  /** `null` = the queue never had a party of this code, or not since it was swept. */
  party(key: QueueKey, code: string): Effect.Effect<Party | null>
  offers(wanted: WantedOffers): Effect.Effect<ReadonlyArray<OfferedRoom>>
  /** A room wants so many players more; 0 = none. */
  offer(room: OfferingRoom, seats: number): Effect.Effect<void>
  /** Removes some tickets and parties that were over before then. @returns how many */
  removeOld(beforeMs: number, most: number): Effect.Effect<number>
}
