import { Effect } from "effect"

import { changeRoom, roomsWhere } from "../rooms/MemoryRoomTable.ts"
import {
  byText,
  type MemoryDatabase,
  MemoryTable,
  type MemoryTables
} from "../store/MemoryDatabase.ts"
import {
  type EndedTicket,
  type MatchRows,
  type QueueChange,
  type QueueKey,
  QueueMoved,
  type TicketRow,
  type WantedOffers
} from "./MatchRows.ts"
import type { Party, Ticket } from "./QueueMachine.ts"

/** A ticket in memory, with the columns that PostgreSQL's table has. */
interface MemoryTicket extends TicketRow {
  readonly endedAtMs: number | null
}

/** Tickets, by their ids. */
export const ticketTable = new MemoryTable<MemoryTicket>()

/** What the table has of a player. */
export const ticketRows = ticketTable.playerRows({
  player: ({ projectId, playerId }) => ({ projectId, playerId }),
  columns: (row) => ({
    ticket_id: row.ticketId,
    queue: row.queue,
    status: row.status,
    room_id: row.roomId,
    queued_at_ms: row.queuedAtMs
  }),
  moved: (row, { key, playerId }) => [key, { ...row, playerId }]
})

/** Parties, by project and code. */
export const partyTable = new MemoryTable<QueueKey & Party>()

/** What `MatchStore` does, on tables in memory. */
export const memoryMatch = ({ tables, ask }: MemoryDatabase["Service"]): MatchRows => ({
  waiting: (key) =>
    ask("MatchStore.waiting", () =>
      ticketsOf(tables, key, "waiting").toSorted(byAge).map(ticketOf)
    ),
  reserved: (key, { sinceMs, forMs }) =>
    ask("MatchStore.reserved", () => reservedIn(tables, key, { sinceMs, forMs })),
  change: (key, change) =>
    change.ended.length === 0 && change.added === null
      ? Effect.void
      : Effect.flatMap(
          ask("MatchStore.change", () => changed(tables, key, change)),
          (stored) => (stored ? Effect.void : new QueueMoved())
        ),
  find: (projectId, ticketId) =>
    ask("MatchStore.find", () => {
      const row = ticketTable.rowsIn(tables).get(ticketId)
      if (row === undefined || row.projectId !== projectId) return null
      const { endedAtMs: _, ...found } = row
      return found
    }),
  depth: (key, nowMs) =>
    ask("MatchStore.depth", () => {
      const live = ticketsOf(tables, key, "waiting").filter((row) => row.expiresAtMs > nowMs)
      const oldestAtMs = Math.min(...live.map(({ queuedAtMs }) => queuedAtMs))
      return { depth: live.length, oldestAtMs: live.length === 0 ? null : oldestAtMs }
    }),
  addParty: (key, party) =>
    ask("MatchStore.addParty", () => {
      partyTable.rowsIn(tables).set(`${key.projectId}/${party.code}`, { ...key, ...party })
    }),
  party: ({ projectId, queue }, code) =>
    ask("MatchStore.party", () => {
      const row = partyTable.rowsIn(tables).get(`${projectId}/${code}`)
      if (row === undefined || row.queue !== queue) return null
      return { code, size: row.size, expiresAtMs: row.expiresAtMs }
    }),
  offers: (wanted) => ask("MatchStore.offers", () => offersIn(tables, wanted)),
  offer: (room, seats) =>
    ask("MatchStore.offer", () => {
      for (const { key } of roomsWhere(
        tables,
        (row) =>
          row.key.projectId === room.projectId &&
          row.key.roomId === room.roomId &&
          row.epoch === room.epoch
      )) {
        changeRoom(tables, key, () => ({ backfillSeats: seats }))
      }
    }),
  removeOld: (beforeMs, most) =>
    ask("MatchStore.removeOld", () =>
      [ticketTable.rowsIn(tables), partyTable.rowsIn(tables)].reduce((removed, rows) => {
        const old = [...rows].filter(([, row]) => row.expiresAtMs < beforeMs).slice(0, most)
        for (const [id] of old) rows.delete(id)
        return removed + old.length
      }, 0)
    )
})

const ticketsOf = (
  tables: MemoryTables,
  { projectId, queue }: QueueKey,
  status: string
): ReadonlyArray<MemoryTicket> =>
  [...ticketTable.rowsIn(tables).values()].filter(
    (row) => row.projectId === projectId && row.queue === queue && row.status === status
  )

const byAge = (one: Ticket, other: Ticket): number =>
  one.queuedAtMs - other.queuedAtMs || byText(one.ticketId, other.ticketId)

const ticketOf = (row: MemoryTicket): Ticket => ({
  ticketId: row.ticketId,
  playerId: row.playerId,
  rating: row.rating,
  party: row.party,
  queuedAtMs: row.queuedAtMs,
  expiresAtMs: row.expiresAtMs
})

/** @returns false when a ticket of it waits no more, or the added one or another of its player is there: nothing has changed */
const changed = (
  tables: MemoryTables,
  key: QueueKey,
  { ended, added, nowMs }: QueueChange
): boolean => {
  const rows = ticketTable.rowsIn(tables)
  const ends = new Map<string, EndedTicket>(ended.map((each) => [each.ticketId, each]))
  const waiting = ticketsOf(tables, key, "waiting")
  const stale = ended.some(({ ticketId }) => !waiting.some((row) => row.ticketId === ticketId))
  const twice = waiting.some(
    ({ playerId, ticketId }) => playerId === added?.playerId && !ends.has(ticketId)
  )
  if (stale || twice || (added !== null && rows.has(added.ticketId))) return false
  for (const row of waiting) {
    const end = ends.get(row.ticketId)
    if (end !== undefined) rows.set(row.ticketId, { ...row, ...end, endedAtMs: nowMs })
  }
  if (added !== null) {
    const fresh = { status: "waiting" as const, roomId: null, team: null, endedAtMs: null }
    rows.set(added.ticketId, { ...key, ...added, ...fresh })
  }
  return true
}

const reservedIn = (
  tables: MemoryTables,
  key: QueueKey,
  { sinceMs, forMs }: { readonly sinceMs: number; readonly forMs: number }
) => {
  const sent = ticketsOf(tables, key, "matched").filter((row) => (row.endedAtMs ?? 0) > sinceMs)
  const groups = Map.groupBy(sent, ({ endedAtMs, roomId }) => `${endedAtMs} ${roomId}`)
  return [...groups.values()]
    .flatMap(([row, ...others]) =>
      row === undefined || row.roomId === null
        ? []
        : [
            {
              roomId: row.roomId,
              seats: 1 + others.length,
              untilMs: (row.endedAtMs ?? 0) + forMs
            }
          ]
    )
    .toSorted((one, other) => one.untilMs - other.untilMs || byText(one.roomId, other.roomId))
}

const offersIn = (
  tables: MemoryTables,
  { projectId, queue, type, sinceMs, most, rating }: WantedOffers
) => {
  const sent = ticketsOf(tables, { projectId, queue }, "matched")
  return roomsWhere(
    tables,
    (row) =>
      row.key.projectId === projectId &&
      row.type === type &&
      (row.backfillSeats ?? 0) > 0 &&
      row.clients < row.maxClients &&
      row.lastSeenMs >= sinceMs &&
      row.status !== "closed"
  )
    .slice(0, most)
    .map((row) => {
      const there = sent.filter(({ roomId }) => roomId === row.key.roomId)
      const sum = there.reduce((total, each) => total + each.rating, 0)
      return {
        roomId: row.key.roomId,
        seats: Math.min(row.backfillSeats ?? 0, row.maxClients - row.clients),
        maxClients: row.maxClients,
        at:
          row.state._tag === "Awake"
            ? { epoch: row.epoch, serverIndex: row.state.at.serverIndex }
            : null,
        seenAtMs: row.lastSeenMs,
        rating: there.length === 0 ? rating : sum / there.length
      }
    })
}
