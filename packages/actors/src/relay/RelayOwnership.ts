import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import type { Data } from "effect"

import { type RelayRefusal, RelayRefusals } from "./RelayRefusal.ts"
import {
  type OwnershipNotice,
  type OwnershipRequest,
  type RelayAction,
  type RelayEvent,
  type RelayState,
  stay,
  type Step
} from "./RelayState.ts"
import { findRecord, giveRecord, type RelayRecord } from "./RelayTables.ts"

type Requested = Data.TaggedEnum.Value<RelayEvent, "OwnershipRequested">
type Answered = Data.TaggedEnum.Value<RelayEvent, "OwnershipAnswered">

const requestMax = 0xffff_ffff

/** A client asks for a record. */
export const ownershipRequested = (state: RelayState, event: Requested): Step => {
  const { from, collection, key } = event
  const session = state.sessions.get(from)
  if (session === undefined) return stay(state)
  if (session.viewer) {
    return deny(state, event, RelayRefusals.rejected("own: a viewer owns nothing"))
  }
  const place = state.tables.places.get(collection) ?? -1
  const table = state.tables.list[place]
  if (table === undefined || table.singleton) {
    return deny(state, event, RelayRefusals.rejected(`${collection}: there is no such collection`))
  }
  const record = findRecord(table, key)
  if (record === undefined) return stay(state, answer(event, false))
  if (record.owner === from) return stay(state, answer(event, true))
  const owner = record.owner === null ? undefined : state.sessions.get(record.owner)
  if (owner === undefined) {
    const tables = giveRecord(state.tables, { table: place, key }, from)
    return [{ ...state, tables }, [answer(event, true)]]
  }
  return askOwner(state, event, { table: place, owner: owner.id })
}

/** The owner's answer. A late answer, or one of another client, changes nothing. */
export const ownershipAnswered = (state: RelayState, event: Answered): Step => {
  const found = state.requests.find(({ request }) => request === event.request)
  if (found === undefined || found.owner !== event.from) return stay(state)
  if (event.granted) return grant(state, found)
  return closeRequests(state, (one) => one === found)
}

/** Requests that the owner of records has not answered yet. */
export const openRequests = (state: RelayState, owner: string): ReadonlyArray<RelayAction> =>
  state.requests.filter((one) => one.owner === owner).map((one) => question(state, one))

/** Closes the requests of a session that has ended; its records go to the clients that asked first. */
export const ownerEnded = (state: RelayState, sessionId: string): Step => {
  const asked = state.requests.filter(({ owner }) => owner === sessionId)
  let next = without(state, ({ asker, owner }) => asker === sessionId || owner === sessionId)
  const actions: Array<RelayAction> = []
  for (const one of asked) {
    const free = recordOf(next, one)?.owner === sessionId
    const [after, notices] = free ? grant(next, one) : stay(next, ...result(next, one, false))
    next = after
    actions.push(...notices)
  }
  return [next, actions]
}

/** Closes requests whose answer is no. */
export const closeRequests = (
  state: RelayState,
  picks: (request: OwnershipRequest) => boolean
): Step => {
  const closed = state.requests.filter(picks)
  if (closed.length === 0) return stay(state)
  return [without(state, picks), closed.flatMap((one) => result(state, one, false))]
}

/** Closes the requests for records that have been removed. */
export const closeRemoved = (state: RelayState): Step =>
  closeRequests(state, (one) => recordOf(state, one) === undefined)

const askOwner = (
  state: RelayState,
  event: Requested,
  { table, owner }: { readonly table: number; readonly owner: string }
): Step => {
  const { from: asker, key, nowMs } = event
  let open = 0
  for (const one of state.requests) {
    if (one.asker !== asker) continue
    // One answer is for all requests of a client for a record.
    if (one.table === table && one.key === key) return stay(state)
    open++
  }
  if (open >= RelayLimits.relayAsks.max) return deny(state, event, RelayRefusals.ownershipRequests)
  const request = state.lastRequest === requestMax ? 1 : state.lastRequest + 1
  const dueAtMs = nowMs + RelayLimits.relayOwnershipAnswer.ms
  const opened: OwnershipRequest = { request, table, key, asker, owner, dueAtMs }
  const next = { ...state, requests: [...state.requests, opened], lastRequest: request }
  return [next, [question(next, opened)]]
}

const deny = (state: RelayState, event: Requested, refusal: RelayRefusal): Step =>
  stay(state, { _tag: "Refuse", to: event.from, refusal, re: null }, answer(event, false))

const answer = ({ from, collection, key }: Requested, granted: boolean): OwnershipNotice => ({
  _tag: "AnswerOwnership",
  to: from,
  collection,
  key,
  granted
})

/** The other requests for the record asked a client that owns it no more: their answer is no. */
const grant = (state: RelayState, granted: OwnershipRequest): Step => {
  const { table, key, asker, owner } = granted
  const given = {
    ...without(state, (one) => one === granted),
    tables: giveRecord(state.tables, { table, key }, asker)
  }
  const [next, refused] = closeRequests(given, (one) => one.table === table && one.key === key)
  const formerOwner = result(state, { ...granted, asker: owner }, false)
  return [next, [...result(state, granted, true), ...formerOwner, ...refused]]
}

const without = (state: RelayState, picks: (request: OwnershipRequest) => boolean): RelayState => {
  const requests = state.requests.filter((one) => !picks(one))
  return requests.length === state.requests.length ? state : { ...state, requests }
}

const recordOf = (
  { tables }: RelayState,
  { table, key }: OwnershipRequest
): RelayRecord | undefined => {
  const found = tables.list[table]
  return found === undefined ? undefined : findRecord(found, key)
}

const result = (
  { sessions, tables }: RelayState,
  { table, key, asker }: OwnershipRequest,
  granted: boolean
): ReadonlyArray<RelayAction> => {
  const collection = tables.list[table]?.name ?? ""
  return sessions.has(asker)
    ? [{ _tag: "AnswerOwnership", to: asker, collection, key, granted }]
    : []
}

const question = ({ tables }: RelayState, one: OwnershipRequest): RelayAction => {
  const { request, table, key, asker, owner } = one
  const collection = tables.list[table]?.name ?? ""
  return { _tag: "AskOwner", to: owner, request, collection, key, asker }
}
