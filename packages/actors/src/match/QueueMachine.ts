import { type Entry, matchPass, type Offer } from "@atrium/domain/match/MatchPass"
import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import type { QueueRules } from "@atrium/domain/match/QueueRules"
import { waitReason } from "@atrium/domain/match/WaitReason"
import { Data } from "effect"

/** A party's code, and how many it is for. */
export interface Party {
  readonly code: string
  readonly size: number
  /** From then on nobody joins it any more; those that wait are the whole party. */
  readonly expiresAtMs: number
}

/** One player who waits. */
export interface Ticket {
  readonly ticketId: string
  readonly playerId: string
  readonly rating: number
  readonly party: Party | null
  readonly queuedAtMs: number
  readonly expiresAtMs: number
}

/** Seats of a room that matched players are on their way to. */
export interface Reserved {
  readonly roomId: string
  readonly seats: number
  readonly untilMs: number
}

/** One queue. What is stored of it are its tickets. */
export interface QueueState {
  /** In the order in which they came; one of each player. */
  readonly tickets: ReadonlyArray<Ticket>
  readonly reserved: ReadonlyArray<Reserved>
  /** The most seats that a room offered at the last pass. */
  readonly freeSeats: number
}

/** A room that asks for players, and when it was last heard of. */
export interface RoomOffer extends Offer {
  readonly seenAtMs: number
}

export type QueueEvent = Data.TaggedEnum<{
  /** A player asks for a match. */
  Joined: { readonly ticket: Ticket; readonly nowMs: number }
  /** A second has passed, and somebody waits. */
  PassDue: {
    readonly rules: QueueRules
    readonly offers: ReadonlyArray<RoomOffer>
    /** The service knows which type of room a match gets. */
    readonly roomable: boolean
    readonly nowMs: number
  }
  /** Rooms have no seats for the players that the pass of this moment would send there. Nothing was stored. */
  SeatsRefused: { readonly matches: ReadonlyArray<Match>; readonly nowMs: number }
}>
export const QueueEvent = Data.taggedEnum<QueueEvent>()

type Asked<Tag extends QueueEvent["_tag"]> = Data.TaggedEnum.Value<QueueEvent, Tag>

/** The answer to a player. */
export type JoinAnswer = Data.TaggedEnum<{
  /** `retired` = the ticket that the player had before. */
  Queued: { readonly retired: Ticket | null }
  Refused: { readonly code: "E_PARTY_CODE" | "E_PARTY_FULL" | "E_NOT_READY" }
}>
export const JoinAnswer = Data.taggedEnum<JoinAnswer>()

/** Players that meet, by their teams; `roomId` = a room that is filled up, `null` = a new one. */
export interface Match {
  readonly roomId: string | null
  readonly teams: ReadonlyArray<ReadonlyArray<Ticket>>
}

/** What a pass came to. */
export interface PassAnswer {
  readonly matches: ReadonlyArray<Match>
  readonly expired: ReadonlyArray<Ticket>
}

/**
 * Total: every event has one answer in every state, given when the tickets that it changes are stored. A refusal never
 * moves the state. Spec: Quick-match limits; D-31.
 */
export function step(state: QueueState, event: Asked<"Joined">): readonly [QueueState, JoinAnswer]
export function step(state: QueueState, event: Asked<"PassDue">): readonly [QueueState, PassAnswer]
export function step(state: QueueState, event: Asked<"SeatsRefused">): readonly [QueueState, null]
export function step(
  state: QueueState,
  event: QueueEvent
): readonly [QueueState, JoinAnswer | PassAnswer | null] {
  switch (event._tag) {
    case "Joined":
      return join(state, event)
    case "PassDue":
      return pass(state, event)
    case "SeatsRefused":
      return [putBack(state, event), null]
  }
}

const join = (
  state: QueueState,
  { ticket, nowMs }: Asked<"Joined">
): readonly [QueueState, JoinAnswer] => {
  const others = state.tickets.filter(({ playerId }) => playerId !== ticket.playerId)
  const { party } = ticket
  const refused = (code: "E_PARTY_CODE" | "E_PARTY_FULL" | "E_NOT_READY") =>
    [state, JoinAnswer.Refused({ code })] as const
  if (party !== null) {
    if (nowMs >= party.expiresAtMs) return refused("E_PARTY_CODE")
    if (membersOf(others, party.code).length >= party.size) return refused("E_PARTY_FULL")
  }
  if (others.length >= QueueLimits.ticketsWaiting.max) return refused("E_NOT_READY")
  const retired = state.tickets.find(({ playerId }) => playerId === ticket.playerId) ?? null
  return [{ ...state, tickets: [...others, ticket] }, JoinAnswer.Queued({ retired })]
}

const membersOf = (tickets: ReadonlyArray<Ticket>, code: string): ReadonlyArray<Ticket> =>
  tickets.filter(({ party }) => party?.code === code)

/** A ticket of the pool: a player, or a whole party. */
interface Pooled extends Entry {
  readonly tickets: ReadonlyArray<Ticket>
}

const pass = (
  state: QueueState,
  { rules, offers, roomable, nowMs }: Asked<"PassDue">
): readonly [QueueState, PassAnswer] => {
  const expired = state.tickets.filter(({ expiresAtMs }) => expiresAtMs <= nowMs)
  const waiting = state.tickets.filter(({ expiresAtMs }) => expiresAtMs > nowMs)
  const reserved = state.reserved.filter(({ untilMs }) => untilMs > nowMs)
  const open = openSeats(offers, reserved, nowMs)
  const entries = entriesOf(waiting, nowMs)
  const made = roomable ? matchPass({ entries, offers: open, rules, nowMs }) : []
  const matches = made.map(({ roomId, teams }) => ({
    roomId,
    teams: teams.map((team) => team.flatMap(({ tickets }) => tickets))
  }))
  const matched = new Set(matches.flatMap(({ teams }) => teams.flat()))
  const untilMs = nowMs + QueueLimits.seatReserved.ms
  const taken = matches.flatMap(({ roomId, teams }) =>
    roomId === null ? [] : [{ roomId, seats: teams.flat().length, untilMs }]
  )
  const next = {
    tickets: waiting.filter((ticket) => !matched.has(ticket)),
    reserved: [...reserved, ...taken],
    freeSeats: open.reduce((most, { seats }) => Math.max(most, seats), 0)
  }
  return [next, { matches, expired }]
}

/** The players wait on in their order; the rooms are asked again when what they said is old. */
const putBack = (state: QueueState, { matches, nowMs }: Asked<"SeatsRefused">): QueueState => {
  const back = matches.flatMap(({ teams }) => teams.flat())
  const rooms = new Set(matches.map(({ roomId }) => roomId))
  const untilMs = nowMs + QueueLimits.seatReserved.ms
  const full = [...rooms].flatMap((roomId) =>
    roomId === null
      ? []
      : [
          {
            roomId,
            seats: QueueLimits.queueSize.max,
            untilMs: nowMs + QueueLimits.backfillFresh.ms
          }
        ]
  )
  return {
    ...state,
    tickets: [...state.tickets, ...back].toSorted(
      (one, other) => one.queuedAtMs - other.queuedAtMs || (one.ticketId < other.ticketId ? -1 : 1)
    ),
    reserved: [
      ...state.reserved.filter((seats) => seats.untilMs !== untilMs || !rooms.has(seats.roomId)),
      ...full
    ]
  }
}

/** Seats of rooms that were heard of within 10 s, without those that somebody is on the way to. */
const openSeats = (
  offers: ReadonlyArray<RoomOffer>,
  reserved: ReadonlyArray<Reserved>,
  nowMs: number
): ReadonlyArray<Offer> => {
  const taken = new Map<string, number>()
  for (const { roomId, seats } of reserved) taken.set(roomId, (taken.get(roomId) ?? 0) + seats)
  return offers
    .filter(({ seenAtMs }) => nowMs - seenAtMs <= QueueLimits.backfillFresh.ms)
    .map((offer) => ({ ...offer, seats: offer.seats - (taken.get(offer.roomId) ?? 0) }))
    .filter(({ seats }) => seats > 0)
}

/** The tickets of the pool: players without a party, and parties of which everybody is there. */
const entriesOf = (tickets: ReadonlyArray<Ticket>, nowMs: number): ReadonlyArray<Pooled> => {
  const groups = Map.groupBy(tickets, groupOf)
  return [...groups].flatMap(([key, members]) => {
    const party = members[0]?.party ?? null
    return isWhole(party, members.length, nowMs) ? [pooled(key, members)] : []
  })
}

const groupOf = ({ party, ticketId }: Ticket): string => party?.code ?? ticketId

const isWhole = (party: Party | null, members: number, nowMs: number): boolean =>
  party === null || members >= party.size || nowMs >= party.expiresAtMs

/** A party waits since its last member came: its band is no wider than that of a player who came then. */
const pooled = (key: string, tickets: ReadonlyArray<Ticket>): Pooled => ({
  key,
  tickets,
  size: tickets.length,
  rating: tickets.reduce((sum, { rating }) => sum + rating, 0) / tickets.length,
  sinceMs: Math.max(...tickets.map(({ queuedAtMs }) => queuedAtMs)),
  endsAtMs: Math.min(...tickets.map(({ expiresAtMs }) => expiresAtMs))
})

/** Why a ticket waits; `null` = it does not wait. @param rules those of the queue now */
export const whyWaiting = (
  state: QueueState,
  {
    ticketId,
    rules,
    nowMs
  }: { readonly ticketId: string; readonly rules: QueueRules; readonly nowMs: number }
): string | null => {
  const ticket = state.tickets.find((each) => each.ticketId === ticketId)
  if (ticket === undefined) return null
  const { party } = ticket
  if (party !== null) {
    const members = membersOf(state.tickets, party.code).length
    if (!isWhole(party, members, nowMs)) return `the party has ${members} of ${party.size}`
  }
  const pool = { entries: entriesOf(state.tickets, nowMs), offers: [], rules, nowMs }
  return waitReason({ ...pool, freeSeats: state.freeSeats }, groupOf(ticket))
}
