import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import {
  type MatchRows,
  type OfferedRoom,
  type OfferingRoom,
  type QueueChange,
  type QueueKey,
  QueueMoved,
  type TicketRow,
  type WantedOffers
} from "./MatchRows.ts"
import { memoryMatch } from "./MemoryMatch.ts"
import type { Party, Reserved } from "./QueueMachine.ts"

/** Tickets and parties of queues, and the seats that rooms offer. A failing store is a defect. Source: D-31. */
export class MatchStore extends Context.Service<MatchStore, MatchRows>()(
  "@atrium/actors/match/MatchStore"
) {
  static readonly layerSql = Layer.effect(
    MatchStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      ...ticketsIn(sql),
      ...changesIn(sql),
      ...partiesIn(sql),
      ...offersIn(sql)
    }))
  )

  static readonly layerMemory = Layer.effect(MatchStore, Effect.map(MemoryDatabase, memoryMatch))
}

const columnsIn = (sql: SqlClient.SqlClient) =>
  sql.literal(`ticket_id as "ticketId", project_id as "projectId", queue,
    player_id as "playerId", rating, party, queued_at_ms::double precision as "queuedAtMs",
    expires_at_ms::double precision as "expiresAtMs", status, room_id as "roomId", team`)

const ticketsIn = (sql: SqlClient.SqlClient) => {
  const columns = columnsIn(sql)

  const waiting = Effect.fn("MatchStore.waiting")(function* ({ projectId, queue }: QueueKey) {
    const rows = yield* Effect.orDie(sql<TicketRow>`
      select ${columns} from match_tickets
      where project_id = ${projectId} and queue = ${queue} and status = 'waiting'
      order by queued_at_ms, ticket_id`)
    return rows.map(({ ticketId, playerId, rating, party, queuedAtMs, expiresAtMs }) => ({
      ticketId,
      playerId,
      rating,
      party,
      queuedAtMs,
      expiresAtMs
    }))
  })

  const find = Effect.fn("MatchStore.find")(function* (projectId: string, ticketId: string) {
    const rows = yield* Effect.orDie(sql<TicketRow>`
      select ${columns} from match_tickets
      where ticket_id = ${ticketId} and project_id = ${projectId}`)
    return rows[0] ?? null
  })

  const depth = Effect.fn("MatchStore.depth")(function* (
    { projectId, queue }: QueueKey,
    nowMs: number
  ) {
    const rows = yield* Effect.orDie(sql<{ depth: number; oldestAtMs: number | null }>`
      select count(*)::integer as depth, min(queued_at_ms)::double precision as "oldestAtMs"
      from match_tickets
      where project_id = ${projectId} and queue = ${queue} and status = 'waiting'
        and expires_at_ms > ${nowMs}`)
    return rows[0] ?? { depth: 0, oldestAtMs: null }
  })

  return { waiting, find, depth }
}

const changesIn = (sql: SqlClient.SqlClient) => {
  const end = ({ projectId, queue }: QueueKey, { ended, nowMs }: QueueChange) =>
    ended.length === 0
      ? Effect.void
      : Effect.flatMap(
          sql`update match_tickets ticket
            set status = ended.status, room_id = ended."roomId", team = ended.team,
              ended_at_ms = ${nowMs}
            from json_to_recordset(${JSON.stringify(ended)}::json)
              as ended("ticketId" text, status text, "roomId" text, team integer)
            where ticket.ticket_id = ended."ticketId" and ticket.status = 'waiting'
              and ticket.project_id = ${projectId} and ticket.queue = ${queue}
            returning 1`,
          (rows) => (rows.length === ended.length ? Effect.void : new QueueMoved())
        )

  const add = ({ projectId, queue }: QueueKey, { added }: QueueChange) =>
    added === null
      ? Effect.void
      : Effect.flatMap(
          sql`insert into match_tickets (ticket_id, project_id, queue, player_id, rating, party,
              queued_at_ms, expires_at_ms, status)
            values (${added.ticketId}, ${projectId}, ${queue}, ${added.playerId}, ${added.rating},
              ${added.party === null ? null : JSON.stringify(added.party)}::jsonb,
              ${added.queuedAtMs}, ${added.expiresAtMs}, 'waiting')
            on conflict do nothing
            returning 1`,
          (rows) => (rows.length === 1 ? Effect.void : new QueueMoved())
        )

  const change: MatchRows["change"] = Effect.fn("MatchStore.change")(function* (key, changed) {
    if (changed.ended.length === 0 && changed.added === null) return
    yield* end(key, changed).pipe(
      Effect.andThen(add(key, changed)),
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    )
  })

  return { change }
}

const partiesIn = (sql: SqlClient.SqlClient) => {
  const addParty = Effect.fn("MatchStore.addParty")(
    ({ projectId, queue }: QueueKey, { code, size, expiresAtMs }: Party) =>
      Effect.asVoid(
        Effect.orDie(sql`insert into match_parties (project_id, code, queue, size, expires_at_ms)
          values (${projectId}, ${code}, ${queue}, ${size}, ${expiresAtMs})`)
      )
  )

  const party = Effect.fn("MatchStore.party")(function* (
    { projectId, queue }: QueueKey,
    code: string
  ) {
    const rows = yield* Effect.orDie(sql<Party>`
      select code, size, expires_at_ms::double precision as "expiresAtMs" from match_parties
      where project_id = ${projectId} and queue = ${queue} and code = ${code}`)
    return rows[0] ?? null
  })

  const removeOld = Effect.fn("MatchStore.removeOld")(function* (beforeMs: number, most: number) {
    const tickets = yield* Effect.orDie(sql`
      delete from match_tickets where ticket_id in (
        select ticket_id from match_tickets where expires_at_ms < ${beforeMs} limit ${most})
      returning 1`)
    const parties = yield* Effect.orDie(sql`
      delete from match_parties where (project_id, code) in (
        select project_id, code from match_parties where expires_at_ms < ${beforeMs} limit ${most})
      returning 1`)
    return tickets.length + parties.length
  })

  return { addParty, party, removeOld }
}

/** The place of a room that is awake; `null` = it is not. */
interface OfferRow extends Omit<OfferedRoom, "at"> {
  readonly epoch: number | null
  readonly serverIndex: number | null
}

const offersIn = (sql: SqlClient.SqlClient) => {
  const reserved: MatchRows["reserved"] = Effect.fn("MatchStore.reserved")(function* (
    { projectId, queue },
    { sinceMs, forMs }
  ) {
    return yield* Effect.orDie(sql<Reserved>`
        select room_id as "roomId", count(*)::integer as seats,
          (ended_at_ms + ${forMs})::double precision as "untilMs"
        from match_tickets
        where project_id = ${projectId} and queue = ${queue} and status = 'matched'
          and ended_at_ms > ${sinceMs}
        group by room_id, ended_at_ms order by ended_at_ms, room_id`)
  })

  const offers = Effect.fn("MatchStore.offers")(function* (wanted: WantedOffers) {
    const { projectId, queue, type, sinceMs, most, rating } = wanted
    const rows = yield* Effect.orDie(sql<OfferRow>`
      select room.room_id as "roomId", room.max_clients as "maxClients",
        case when room.status = 'awake' then room.epoch end::double precision as epoch,
        case when room.status = 'awake'
          then (room.state #>> '{at,serverIndex}')::integer end as "serverIndex",
        least(room.backfill_seats, room.max_clients - room.clients) as seats,
        room.last_seen_ms::double precision as "seenAtMs",
        coalesce((select avg(sent.rating) from match_tickets sent
          where sent.project_id = room.project_id and sent.queue = ${queue}
            and sent.status = 'matched' and sent.room_id = room.room_id), ${rating})
          ::double precision as rating
      from rooms room
      where room.project_id = ${projectId} and room.type = ${type} and room.backfill_seats > 0
        and room.clients < room.max_clients and room.last_seen_ms >= ${sinceMs}
        and room.status <> 'closed'
      order by room.room_id collate "C" limit ${most}`)
    return rows.map(({ epoch, serverIndex, ...offer }) => ({
      ...offer,
      at: epoch === null || serverIndex === null ? null : { epoch, serverIndex }
    }))
  })

  const offer = Effect.fn("MatchStore.offer")(
    ({ projectId, roomId, epoch }: OfferingRoom, seats: number) =>
      Effect.asVoid(
        Effect.orDie(sql`update rooms set backfill_seats = ${seats}, backfill = ${seats > 0}
          where project_id = ${projectId} and room_id = ${roomId} and epoch = ${epoch}`)
      )
  )

  return { reserved, offers, offer }
}
