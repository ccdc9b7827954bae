import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import type { Data } from "effect"

import {
  closeRemoved,
  closeRequests,
  openRequests,
  ownerEnded,
  ownershipAnswered,
  ownershipRequested
} from "./RelayOwnership.ts"
import { type RelayRefusal, RelayRefusals } from "./RelayRefusal.ts"
import {
  fullFor,
  newSession,
  resumedSession,
  sessionEndsAtMs,
  sessionOf,
  storedSession,
  withoutSession,
  withSession
} from "./RelaySessions.ts"
import {
  type RelayAction,
  type RelayEvent,
  type RelayOp,
  type RelayState,
  stay,
  type Step
} from "./RelayState.ts"
import { findRecord, loadTables, RecordIdMax, TablesDraft } from "./RelayTables.ts"

/**
 * The rules of a relay room: who may write which record, what fits, who owns what. Total: every event
 * has an answer in every state, and a refusal leaves the state as it was. How much each client may
 * send is counted before, by its `RelayAllowance`. Source: D-24; spec: Connection and room limits.
 */
export const step = (state: RelayState, event: RelayEvent): Step => {
  switch (event._tag) {
    case "SnapshotLoaded":
      return snapshotLoaded(state, event)
    case "ClientEntered":
      return clientEntered(state, event)
    case "ClientDropped":
      return clientDropped(state, event)
    case "ClientLeft":
      return state.sessions.has(event.from) ? ended(state, event.from) : stay(state)
    case "WriteReceived":
      return writeReceived(state, event)
    case "OwnershipRequested":
      return ownershipRequested(state, event)
    case "OwnershipAnswered":
      return ownershipAnswered(state, event)
    case "TimePassed":
      return timePassed(state, event.nowMs)
  }
}

/** When `TimePassed` has something to do next; `null` = never. */
export const dueAtMs = (state: RelayState): number | null => {
  let due: number | null = null
  for (const request of state.requests) due = earlier(due, request.dueAtMs)
  for (const session of state.sessions.values()) due = earlier(due, sessionEndsAtMs(state, session))
  return due
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other)

const snapshotLoaded = (
  state: RelayState,
  { sessions, tables, nowMs }: Data.TaggedEnum.Value<RelayEvent, "SnapshotLoaded">
): Step => {
  const stored = sessions.map((kept) => [kept.id, storedSession(kept, nowMs)] as const)
  return stay({ ...state, sessions: new Map(stored), tables: loadTables(state.tables, tables) })
}

const clientEntered = (
  state: RelayState,
  event: Data.TaggedEnum.Value<RelayEvent, "ClientEntered">
): Step => {
  const { ref } = event
  const known = sessionOf(state, event)
  if (known !== undefined) {
    const { id: sessionId } = known
    const admit: RelayAction = { _tag: "AdmitClient", ref, sessionId, resumed: true }
    const replaced: ReadonlyArray<RelayAction> =
      known.ref === null ? [] : [{ _tag: "CloseReplaced", ref: known.ref }]
    const next = withSession(state, resumedSession(known, event))
    return [next, [...replaced, admit, ...openRequests(next, sessionId)]]
  }
  const full = fullFor(state, event)
  if (full !== null) return stay(state, { _tag: "RefuseClient", ref, full })
  const session = newSession(event)
  const admit: RelayAction = { _tag: "AdmitClient", ref, sessionId: session.id, resumed: false }
  return [withSession(state, session), [admit]]
}

const clientDropped = (
  state: RelayState,
  { from, nowMs }: Data.TaggedEnum.Value<RelayEvent, "ClientDropped">
): Step => {
  const session = state.sessions.get(from)
  if (session === undefined) return stay(state)
  return stay(withSession(state, { ...session, ref: null, droppedAtMs: nowMs }))
}

/** Ends a session: its records are for those who ask first. */
const ended = (state: RelayState, sessionId: string): Step => {
  const [next, notices] = ownerEnded(withoutSession(state, sessionId), sessionId)
  return [next, [{ _tag: "EndSession", sessionId }, ...notices]]
}

/**
 * Ends the sessions that were not resumed, and closes the requests that were not answered. When the
 * clock has jumped, the moments are gone through in order: an owner may have left before.
 */
const timePassed = (state: RelayState, nowMs: number): Step => {
  let next = state
  const actions: Array<RelayAction> = []
  for (let atMs = dueAtMs(next); atMs !== null && atMs <= nowMs; atMs = dueAtMs(next)) {
    const dueMs = atMs
    const [closed, refused] = closeRequests(next, (one) => one.dueAtMs <= dueMs)
    next = closed
    actions.push(...refused)
    for (const session of closed.sessions.values()) {
      const endsAtMs = sessionEndsAtMs(closed, session)
      if (endsAtMs === null || endsAtMs > dueMs) continue
      const [after, notices] = ended(next, session.id)
      next = after
      actions.push(...notices)
    }
  }
  return [next, actions]
}

/** Carries out all ops of a write, one after another, or none. */
const writeReceived = (
  state: RelayState,
  { from, id, write }: Data.TaggedEnum.Value<RelayEvent, "WriteReceived">
): Step => {
  const session = state.sessions.get(from)
  if (session === undefined) return stay(state)
  const refuse = (refusal: RelayRefusal): Step =>
    stay(state, { _tag: "Refuse", to: from, refusal, re: id })
  if (session.viewer) return refuse(RelayRefusals.rejected("write: a viewer does not write"))
  if (write.ops.length === 0) return refuse(RelayRefusals.rejected("write: there is no op"))
  const draft = new TablesDraft(state.tables)
  const keys: Array<number> = []
  let removes = false
  for (const op of write.ops) {
    const refusal = apply(draft, op, { owner: from, keys })
    if (refusal !== null) return refuse(refusal)
    if (op._tag === "Remove") removes = true
  }
  const tables = draft.tables()
  const written = tables === state.tables ? state : { ...state, tables }
  const done: ReadonlyArray<RelayAction> = [
    { _tag: "ApplyWrite", write },
    { _tag: "AcknowledgeWrite", to: from, id, keys }
  ]
  if (!removes) return [written, done]
  const [next, refused] = closeRemoved(written)
  return [next, [...done, ...refused]]
}

interface Writer {
  readonly owner: string
  /** Ids of the records that this write has added. */
  readonly keys: Array<number>
}

const apply = (draft: TablesDraft, op: RelayOp, writer: Writer): RelayRefusal | null => {
  const table = draft.at(op.table)
  if (table === undefined) return RelayRefusals.rejected("write: there is no such collection")
  if (op._tag === "Add") return addRecord(draft, op, writer)
  const record = findRecord(table, op.key)
  if (record === undefined) return RelayRefusals.rejected(`${table.name}: there is no ${op.key}`)
  if (!table.singleton && record.owner !== writer.owner) {
    return RelayRefusals.notOwner(`${table.name} ${op.key}`)
  }
  if (op._tag === "Set") {
    const bytesBefore = draft.bytes
    draft.set(op.table, record, op.fields)
    return overCap(draft.bytes, bytesBefore)
  }
  if (table.singleton) return RelayRefusals.rejected(`${table.name}: a singleton stays`)
  draft.remove(op.table, record)
  return null
}

const addRecord = (
  draft: TablesDraft,
  op: Data.TaggedEnum.Value<RelayOp, "Add">,
  { owner, keys }: Writer
): RelayRefusal | null => {
  const table = draft.at(op.table)
  if (table === undefined) return RelayRefusals.rejected("write: there is no such collection")
  if (table.singleton) return RelayRefusals.rejected(`${table.name}: a singleton is one`)
  if (table.records.length >= RelayLimits.relayRecords.max) {
    return RelayRefusals.recordCap(table.name)
  }
  if (table.nextId > RecordIdMax) return RelayRefusals.rejected(`${table.name}: no id is left`)
  const bytesBefore = draft.bytes
  const key = draft.add(op.table, owner, op.fields)
  if (key !== undefined) keys.push(key)
  return overCap(draft.bytes, bytesBefore)
}

/** A state that is too large already may shrink: it was stored when more was allowed. */
const overCap = (bytes: number, bytesBefore: number): RelayRefusal | null =>
  bytes > RelayLimits.relayStateBytes.max && bytes > bytesBefore ? RelayRefusals.stateCap : null
