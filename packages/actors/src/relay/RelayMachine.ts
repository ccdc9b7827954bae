import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { refillBucket, spendTokens, takeToken } from "@atrium/domain/shared/TokenBucket"

import { type RelayAsk, RelayAsks } from "./RelayAsksMachine.ts"
import { type RelayFault, RelayFaults } from "./RelayFault.ts"
import { RelaySeats, type RelaySeatCaps, type RelaySession } from "./RelaySeatsMachine.ts"
import {
  type FieldBytes,
  RecordIdMax,
  type RelayRecord,
  type RelayTable,
  RelayTables,
  type RelayTableShape
} from "./RelayTablesMachine.ts"

/** One operation of a write, its values found good; `table` is a place in the list of tables. */
export type RelayOp =
  | { readonly op: "add"; readonly table: number; readonly fields: ReadonlyArray<FieldBytes> }
  | {
      readonly op: "set"
      readonly table: number
      readonly key: number
      readonly fields: ReadonlyArray<FieldBytes>
    }
  | { readonly op: "remove"; readonly table: number; readonly key: number }

/** What a session is to be told about who owns what. */
export type RelayNotice =
  | {
      readonly is: "ownResult"
      readonly to: RelaySession
      readonly collection: string
      readonly key: number
      readonly granted: boolean
    }
  | {
      readonly is: "ownAsk"
      readonly to: RelaySession
      readonly request: number
      readonly collection: string
      readonly key: number
      readonly from: string
    }

export type Written =
  | { readonly fault: RelayFault }
  /** Ids of the records that were added, in order. */
  | { readonly keys: ReadonlyArray<number>; readonly notices: ReadonlyArray<RelayNotice> }

/** What a relay room is made for. */
export interface RelayRules {
  readonly tables: ReadonlyArray<RelayTableShape>
  readonly seats: RelaySeatCaps
  readonly reconnectForMs: number
}

/**
 * The rules of a relay room: who may write which record, what fits, who owns what, how much each may
 * send. It knows records by their size, not by their values, and changes its state in place. Times
 * are Unix milliseconds of the service's clock. Source: D-24; spec: Connection and room limits.
 */
export class RelayMachine {
  readonly tables: RelayTables
  readonly seats: RelaySeats
  readonly #asks = new RelayAsks()

  constructor({ tables, seats, reconnectForMs }: RelayRules) {
    this.tables = new RelayTables(tables)
    this.seats = new RelaySeats(seats, reconnectForMs)
  }

  /** Carries out all ops of a frame, one after another, or none. */
  write(session: RelaySession, ops: ReadonlyArray<RelayOp>, nowMs: number): Written {
    if (session.viewer) return { fault: RelayFaults.rejected("write: a viewer does not write") }
    if (ops.length === 0) return { fault: RelayFaults.rejected("write: there is no op") }
    refillBucket(session.ops, RelayLimits.relayWriteOps, nowMs)
    if (!spendTokens(session.ops, ops.length)) return { fault: RelayFaults.writeRate }
    const keys: Array<number> = []
    for (const op of ops) {
      const fault = this.#perform(session, op, keys)
      if (fault === null) continue
      this.tables.takeBack()
      return { fault }
    }
    this.tables.settle()
    const removed = ops.some(({ op }) => op === "remove")
    return { keys, notices: removed ? this.#refusedAsRemoved() : [] }
  }

  /** A client asks for a record. */
  own(
    session: RelaySession,
    asked: { readonly collection: string; readonly key: number },
    nowMs: number
  ): { readonly fault: RelayFault | null; readonly notices: ReadonlyArray<RelayNotice> } {
    const { collection, key } = asked
    const answer = (granted: boolean, fault: RelayFault | null = null) => ({
      fault,
      notices: [{ is: "ownResult", to: session, collection, key, granted } as const]
    })
    if (session.viewer) return answer(false, RelayFaults.rejected("own: a viewer owns nothing"))
    const table = this.tables.list[this.tables.placeOf(collection) ?? -1]
    if (table === undefined || table.singleton) {
      return answer(false, RelayFaults.rejected(`${collection}: there is no such collection`))
    }
    const record = table.records.get(key)
    if (record === undefined) return answer(false)
    const owner = this.#ownerOf(record)
    if (owner === undefined) record.owner = session.id
    if (owner === undefined || owner === session) return answer(true)
    if (this.#asks.waits(session.id, record)) return { fault: null, notices: [] }
    if (this.#asks.waitingOf(session.id) >= RelayLimits.relayAsks.max) {
      return answer(false, RelayFaults.asks)
    }
    const ids = { asker: session.id, owner: owner.id }
    const ask = this.#asks.open({ table, record, ...ids }, nowMs)
    return { fault: null, notices: this.#askNotice(ask) }
  }

  /** The owner's answer; one that comes late, or from somebody else, means nothing. */
  answer(session: RelaySession, request: number, granted: boolean): ReadonlyArray<RelayNotice> {
    const ask = this.#asks.find(request)
    if (ask?.owner !== session.id) return []
    this.#asks.close(ask)
    return granted ? this.#grant(ask) : this.#results([ask], false)
  }

  /** What a session that is back still has to answer. */
  openAsks(session: RelaySession): ReadonlyArray<RelayNotice> {
    return [...this.#asks].flatMap((ask) => (ask.owner === session.id ? this.#askNotice(ask) : []))
  }

  /** Ends a session: its records are for who asks first. */
  end(session: RelaySession): ReadonlyArray<RelayNotice> {
    this.seats.end(session)
    this.#asks.closeWhere(({ asker }) => asker === session.id)
    const notices: Array<RelayNotice> = []
    for (const ask of this.#asks.closeWhere(({ owner }) => owner === session.id)) {
      // Of several who asked for one record the first gets it.
      if (ask.record.owner === session.id) notices.push(...this.#grant(ask))
      else notices.push(...this.#results([ask], false))
    }
    return notices
  }

  /**
   * What has become due: sessions that were not taken up again, requests without an answer. Of a
   * clock that has jumped the moments are gone through in order: an owner may have left before.
   */
  lapse(nowMs: number): { readonly ended: boolean; readonly notices: ReadonlyArray<RelayNotice> } {
    const notices: Array<RelayNotice> = []
    let ended = false
    for (let atMs = this.dueAtMs(); atMs !== null && atMs <= nowMs; atMs = this.dueAtMs()) {
      const dueMs = atMs
      const late = this.#asks.closeWhere(({ dueAtMs }) => dueAtMs <= dueMs)
      notices.push(...this.#results(late, false))
      for (const session of this.seats.lapsed(dueMs)) {
        notices.push(...this.end(session))
        ended = true
      }
    }
    return { ended, notices }
  }

  /** When {@link lapse} has something to do; `null` = never. */
  dueAtMs(): number | null {
    const [a, b] = [this.#asks.earliestDueMs(), this.seats.earliestLapseMs()]
    return a === null ? b : b === null ? a : Math.min(a, b)
  }

  /**
   * Counts the bytes of a relay frame. Lies on the message path.
   *
   * @returns `passes`; `told` = refused as the ones before it; `tell` = the first that is refused
   */
  takeBytes(session: RelaySession, bytes: number, nowMs: number): "passes" | "told" | "tell" {
    refillBucket(session.bytes, RelayLimits.relayBytes, nowMs)
    if (spendTokens(session.bytes, bytes)) {
      session.bytesTold = false
      return "passes"
    }
    if (session.bytesTold) return "told"
    session.bytesTold = true
    return "tell"
  }

  /** Counts a message that is sent: a viewer may send few. Answers as {@link takeBytes}. */
  takeSend(session: RelaySession, nowMs: number): "passes" | "told" | "tell" {
    if (!session.viewer) return "passes"
    if (takeToken(session.sends, AudienceLimits.audienceMessages, nowMs)) {
      session.sendsTold = false
      return "passes"
    }
    if (session.sendsTold) return "told"
    session.sendsTold = true
    return "tell"
  }

  #perform(session: RelaySession, op: RelayOp, keys: Array<number>): RelayFault | null {
    const table = this.tables.list[op.table]
    if (table === undefined) return RelayFaults.rejected("write: there is no such collection")
    if (op.op === "add") return this.#add(session, table, { op, keys })
    const record = table.records.get(op.key)
    if (record === undefined) return RelayFaults.rejected(`${table.name}: there is no ${op.key}`)
    if (!table.singleton && record.owner !== session.id) {
      return RelayFaults.notOwner(`${table.name} ${op.key}`)
    }
    if (op.op === "set") {
      const before = this.tables.bytes
      this.tables.set(record, op.fields)
      return this.#overCap(before)
    }
    if (table.singleton) return RelayFaults.rejected(`${table.name}: a singleton stays`)
    this.tables.remove(table, record)
    return null
  }

  #add(
    { id }: RelaySession,
    table: RelayTable,
    { op, keys }: { readonly op: Extract<RelayOp, { op: "add" }>; readonly keys: Array<number> }
  ): RelayFault | null {
    if (table.singleton) return RelayFaults.rejected(`${table.name}: a singleton is one`)
    if (table.records.size >= RelayLimits.relayRecords.max) return RelayFaults.recordCap(table.name)
    if (table.nextId > RecordIdMax) return RelayFaults.rejected(`${table.name}: no id is left`)
    const before = this.tables.bytes
    keys.push(this.tables.add(table, id, op.fields).id)
    return this.#overCap(before)
  }

  /** A state that is too large already may shrink: it was stored when more was allowed. */
  #overCap(bytesBefore: number): RelayFault | null {
    const { bytes } = this.tables
    return bytes > RelayLimits.relayStateBytes.max && bytes > bytesBefore
      ? RelayFaults.stateCap
      : null
  }

  #ownerOf({ owner }: RelayRecord): RelaySession | undefined {
    return owner === null ? undefined : this.seats.byId(owner)
  }

  #grant(ask: RelayAsk): ReadonlyArray<RelayNotice> {
    const { table, record, asker, owner } = ask
    record.owner = asker
    const notices = [...this.#results([ask], true)]
    const before = this.seats.byId(owner)
    if (before !== undefined) {
      const told = { to: before, collection: table.name, key: record.id, granted: false }
      notices.push({ is: "ownResult", ...told })
    }
    // Whoever else asked the owner of before asked somebody who has it no more.
    const others = this.#asks.closeWhere((other) => other.record === record)
    return [...notices, ...this.#results(others, false)]
  }

  #refusedAsRemoved(): ReadonlyArray<RelayNotice> {
    const gone = this.#asks.closeWhere(({ table, record }) => !table.records.has(record.id))
    return this.#results(gone, false)
  }

  #results(asks: ReadonlyArray<RelayAsk>, granted: boolean): ReadonlyArray<RelayNotice> {
    return asks.flatMap(({ table, record, asker }) => {
      const to = this.seats.byId(asker)
      if (to === undefined) return []
      return [{ is: "ownResult", to, collection: table.name, key: record.id, granted } as const]
    })
  }

  #askNotice({ request, table, record, asker, owner }: RelayAsk): ReadonlyArray<RelayNotice> {
    const to = this.seats.byId(owner)
    if (to === undefined) return []
    const of = { request, collection: table.name, key: record.id, from: asker }
    return [{ is: "ownAsk", to, ...of }]
  }
}
