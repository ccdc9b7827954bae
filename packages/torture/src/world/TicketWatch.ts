import type { TicketRow } from "@atrium/actors/match/MatchRows"
import { ticketTable } from "@atrium/actors/match/MemoryMatch"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { rulesOf } from "@atrium/domain/match/QueueRules"

import { queues } from "./GameProjects.ts"
import { type WatchedGames, watchRows } from "./TableWatch.ts"
import type { Timeline } from "./Timeline.ts"
import { Violation } from "./Violation.ts"

/** By then a pass has ended every ticket whose wait is over: its own second, and the way to the store and back. */
const passedMs = 3000

type StoredTicket = TicketRow & { readonly endedAtMs: number | null }

interface Match {
  readonly queue: string
  readonly roomId: string
  readonly rows: Array<TicketRow>
}

/**
 * Tickets of quick match: each ends once while its answer is kept, a player has one that waits in a queue, nobody is in a match twice, a match
 * has as many players as its queue says, and a party stays together.
 */
export class TicketWatch {
  readonly #timeline: Timeline
  readonly #tables: MemoryTables
  readonly #checked: (check: () => void) => void
  /** As the store had each ticket last. */
  readonly #known = new Map<string, StoredTicket>()
  /** Tickets that a player holds and has not heard the end of. */
  readonly #held = new Map<string, TicketRow>()
  /** The matches of one moment, which are stored together. */
  #made = new Map<string, Match>()
  readonly #rooms = new Set<string>()
  matched = 0

  constructor(watched: WatchedGames) {
    this.#timeline = watched.timeline
    this.#tables = watched.tables
    this.#checked = (check) => watched.checked(check)
    watchRows(ticketTable.rowsIn(this.#tables), (ticketId, row) =>
      this.#checked(() => this.#written(ticketId, row))
    )
  }

  #written(ticketId: string, row: StoredTicket): void {
    const before = this.#known.get(ticketId)
    this.#known.set(ticketId, row)
    const removable = (before?.endedAtMs ?? 0) + QueueLimits.ticketKept.ms
    if (before !== undefined && before.status !== "waiting" && this.#timeline.nowMs < removable) {
      throw new Violation("tickets", `${textOf(before)} becomes ${textOf(row)}`)
    }
    if (row.status === "waiting") return this.#waits(row)
    if (row.status === "expired" && (row.endedAtMs ?? 0) < row.expiresAtMs) {
      throw new Violation("tickets", `${textOf(row)} before its time`)
    }
    if (row.status === "matched") this.#matches(row)
  }

  get #rows(): ReadonlyMap<string, TicketRow> {
    return ticketTable.rowsIn(this.#tables)
  }

  #waits(row: TicketRow): void {
    for (const other of this.#rows.values()) {
      const same = other.playerId === row.playerId && other.queue === row.queue
      if (!same || other.ticketId === row.ticketId || other.projectId !== row.projectId) continue
      if (other.status !== "waiting") continue
      throw new Violation("tickets", `${textOf(row)} beside ${textOf(other)}`)
    }
  }

  #matches(row: TicketRow): void {
    const { roomId } = row
    if (roomId === null) throw new Violation("tickets", `${textOf(row)} into no room`)
    if (this.#made.size === 0) this.#timeline.after(0, () => this.#checked(() => this.#checkMade()))
    const key = `${row.projectId}/${roomId}`
    const match = this.#made.get(key) ?? { queue: row.queue, roomId, rows: [] }
    match.rows.push(row)
    this.#made.set(key, match)
    this.matched++
  }

  /** What one step of a queue has stored is whole. */
  #checkMade(): void {
    const made = this.#made
    this.#made = new Map()
    for (const [room, { queue, rows }] of made) {
      const players = new Set(rows.map(({ playerId }) => playerId))
      if (players.size < rows.length) {
        throw new Violation("tickets", `a player is twice in a match of ${room}`)
      }
      for (const row of rows) this.#checkParty(row, rows)
      const isNew = !this.#rooms.has(room) && room.includes("/m_")
      this.#rooms.add(room)
      if (isNew) checkSize(room, queue, rows)
    }
  }

  #checkParty({ party, ...row }: TicketRow, match: ReadonlyArray<TicketRow>): void {
    if (party === null) return
    for (const other of this.#rows.values()) {
      if (other.party?.code !== party.code || other.projectId !== row.projectId) continue
      const left = other.status === "waiting"
      const apart =
        match.some(({ ticketId }) => ticketId === other.ticketId) && other.team !== row.team
      if (left || apart) throw new Violation("tickets", `the party of ${textOf(other)} is split`)
    }
  }

  /** A player has a ticket in hand, or has asked for it again. */
  heard(ticket: TicketRow): void {
    this.#checked(() => {
      const { ticketId, status, roomId } = ticket
      const row = this.#known.get(ticketId)
      if (row === undefined) throw new Violation("tickets", `${textOf(ticket)} was never stored`)
      if (status !== "waiting" && (row.status !== status || row.roomId !== roomId)) {
        throw new Violation("tickets", `${textOf(row)} was said to be ${textOf(ticket)}`)
      }
      if (status === "waiting") this.#held.set(ticketId, ticket)
      else this.#held.delete(ticketId)
    })
  }

  /** Its ticket is known no more. */
  missed({ ticketId }: Pick<TicketRow, "ticketId">): void {
    this.#held.delete(ticketId)
    this.#checked(() => {
      const row = this.#rows.get(ticketId)
      if (row !== undefined) throw new Violation("tickets", `${textOf(row)} is not found`)
    })
  }

  /** Tickets whose players wait for their end. */
  get held(): ReadonlyArray<TicketRow> {
    return [...this.#held.values()]
  }

  /** All players have asked for their tickets, and a pass has come since: nobody waits past the end of the wait. */
  check(): void {
    for (const row of this.#rows.values()) {
      const lateMs = this.#timeline.nowMs - row.expiresAtMs
      if (row.status !== "waiting" || lateMs < passedMs || !this.#held.has(row.ticketId)) continue
      throw new Violation("tickets", `${textOf(row)} waits ${lateMs} ms past its end`)
    }
  }
}

const checkSize = (room: string, queue: string, rows: ReadonlyArray<TicketRow>): void => {
  const { teams } = rulesOf(queues[queue] ?? {})
  const has = teams.map((_, at) => rows.filter(({ team }) => team === at).length)
  if (teams.every(({ min, max }, at) => min <= (has[at] ?? 0) && (has[at] ?? 0) <= max)) return
  throw new Violation("tickets", `teams of ${has.join()} in ${room} of ${queue}`)
}

const textOf = ({ ticketId, playerId, queue, status, roomId }: TicketRow): string =>
  `${ticketId.slice(0, 8)} of ${playerId} in ${queue}: ${status}${roomId === null ? "" : ` into ${roomId}`}`
