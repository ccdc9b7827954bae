import type { Data } from "effect"

import type { RelayRefusal } from "./RelayRefusal.ts"
import {
  type FieldBytes,
  makeTables,
  type RelayTables,
  type RelayTableShape,
  type StoredTable
} from "./RelayTables.ts"

/** How many of each kind a room takes. */
export interface RelaySeatCaps {
  readonly players: number
  readonly viewers: number
}

/** The settings that a relay room is made for. */
export interface RelayRules {
  readonly tables: ReadonlyArray<RelayTableShape>
  readonly seats: RelaySeatCaps
  readonly reconnectForMs: number
}

/** A session as a snapshot keeps it. */
export interface KeptSession {
  readonly id: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  readonly resumeHash: string
  /** Also opens the session: the welcome with the newer token may have been lost. */
  readonly previousResumeHash: string | null
}

/** One client's seat. It outlives connections. */
export interface RelaySession extends KeptSession {
  /** Reads, chats and sends, and does not write. */
  readonly viewer: boolean
  /** The connection; `null` while dropped. */
  readonly ref: number | null
  readonly droppedAtMs: number | null
}

/** A client's request for a record of another client, which its owner has not answered yet. */
export interface OwnershipRequest {
  readonly request: number
  readonly table: number
  readonly key: number
  /** Ids of sessions. */
  readonly asker: string
  readonly owner: string
  readonly dueAtMs: number
}

/**
 * A relay room: its sessions, whose record is which, and how much room the records take. It knows
 * records by their size, not by their values. No step changes a state in place. Source: D-24; spec:
 * Connection and room limits.
 */
export interface RelayState {
  readonly seats: RelaySeatCaps
  readonly reconnectForMs: number
  /** By id, in the order in which they began. */
  readonly sessions: ReadonlyMap<string, RelaySession>
  readonly tables: RelayTables
  /** Oldest first; at most RelayLimits.relayAsks of each session. */
  readonly requests: ReadonlyArray<OwnershipRequest>
  readonly lastRequest: number
}

export const newRelay = ({ tables, seats, reconnectForMs }: RelayRules): RelayState => ({
  seats,
  reconnectForMs,
  sessions: new Map(),
  tables: makeTables(tables),
  requests: [],
  lastRequest: 0
})

/** One operation of a write, its values found good; `table` is a place in the list of tables. */
export type RelayOp = Data.TaggedEnum<{
  Add: { readonly table: number; readonly fields: ReadonlyArray<FieldBytes> }
  Set: { readonly table: number; readonly key: number; readonly fields: ReadonlyArray<FieldBytes> }
  Remove: { readonly table: number; readonly key: number }
}>

/** The operations of a write, and the values of each. */
export interface RelayWrite {
  readonly ops: ReadonlyArray<RelayOp>
  /** The machine hands them on unread. */
  readonly values: ReadonlyArray<object>
}

/** Times are Unix milliseconds of the service's clock. `from` is the session of the client. */
export type RelayEvent = Data.TaggedEnum<{
  /** A room that slept: each session was dropped when the room stopped. */
  SnapshotLoaded: {
    readonly sessions: ReadonlyArray<KeptSession>
    /** One for each table, in their order. */
    readonly tables: ReadonlyArray<StoredTable>
    readonly nowMs: number
  }
  /** `attachedAs` and `resumeHash` name a session that the client may still have. */
  ClientEntered: {
    readonly ref: number
    readonly sessionId: string
    readonly playerId: string
    readonly name: string | null
    readonly role: string
    readonly resumeHash: string | null
    readonly nextResumeHash: string
    readonly attachedAs: string | null
    /** Seats that the room keeps for players of matches who are on their way. Absent = none. */
    readonly seatsKept?: number
    readonly nowMs: number
  }
  /** The connection was lost; the client keeps its seat for a while. */
  ClientDropped: { readonly from: string; readonly nowMs: number }
  ClientLeft: { readonly from: string }
  WriteReceived: { readonly from: string; readonly id: number; readonly write: RelayWrite }
  OwnershipRequested: {
    readonly from: string
    readonly collection: string
    readonly key: number
    readonly nowMs: number
  }
  OwnershipAnswered: { readonly from: string; readonly request: number; readonly granted: boolean }
  TimePassed: { readonly nowMs: number }
}>

/** What a client hears about the owner of a record. */
export type OwnershipNotice = Data.TaggedEnum<{
  AnswerOwnership: {
    readonly to: string
    readonly collection: string
    readonly key: number
    readonly granted: boolean
  }
  AskOwner: {
    readonly to: string
    readonly request: number
    readonly collection: string
    readonly key: number
    readonly asker: string
  }
}>

/** `to` is a session. One without a connection hears nothing. */
export type RelayAction =
  | OwnershipNotice
  | Data.TaggedEnum<{
      AdmitClient: { readonly ref: number; readonly sessionId: string; readonly resumed: boolean }
      RefuseClient: { readonly ref: number; readonly full: keyof RelaySeatCaps }
      /** The session has a newer connection. */
      CloseReplaced: { readonly ref: number }
      EndSession: { readonly sessionId: string }
      ApplyWrite: { readonly write: RelayWrite }
      /** `keys` are the ids of the records that were added, in order. */
      AcknowledgeWrite: {
        readonly to: string
        readonly id: number
        readonly keys: ReadonlyArray<number>
      }
      /** `re` is the id of the write that is refused. */
      Refuse: { readonly to: string; readonly refusal: RelayRefusal; readonly re: number | null }
    }>

export type Step = readonly [RelayState, ReadonlyArray<RelayAction>]

// Events and actions are literals: `Data.taggedEnum` makes them through a proxy, and every write
// passes here.

export const stay = (state: RelayState, ...actions: ReadonlyArray<RelayAction>): Step => [
  state,
  actions
]
