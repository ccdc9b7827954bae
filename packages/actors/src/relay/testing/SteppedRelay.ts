import { dueAtMs, step } from "../RelayMachine.ts"
import {
  newRelay,
  type RelayAction,
  type RelayEvent,
  type RelayOp,
  type RelayRules,
  type RelaySession
} from "../RelayState.ts"
import { findRecord } from "../RelayTables.ts"

/** A relay machine with its state, for tests that take one step after another. */
export const makeRelay = (rules: RelayRules) => {
  let refs = 0
  const relay = {
    state: newRelay(rules),
    take: (event: RelayEvent): ReadonlyArray<RelayAction> => {
      const [next, actions] = step(relay.state, event)
      relay.state = next
      return actions
    },
    /** A client with a new connection. Its token's hash is `token-` and the connection's number. */
    enter: (
      id: string,
      more: { role?: string; player?: string; resume?: string; seatsKept?: number } = {}
    ) => {
      const ref = ++refs
      return relay.take({
        _tag: "ClientEntered",
        ref,
        sessionId: id,
        playerId: more.player ?? id,
        name: null,
        role: more.role ?? "player",
        resumeHash: more.resume ?? null,
        nextResumeHash: `token-${ref}`,
        attachedAs: null,
        ...(more.seatsKept === undefined ? {} : { seatsKept: more.seatsKept }),
        nowMs: 0
      })
    },
    session: (id: string): RelaySession => {
      const session = relay.state.sessions.get(id)
      if (session === undefined) throw new Error(`there is no session ${id}`)
      return session
    },
    /** The keys of the added records, or the code of the refusal. */
    write: (from: string, ...ops: ReadonlyArray<RelayOp>): unknown => {
      const actions = relay.take({ _tag: "WriteReceived", from, id: 1, write: { ops, values: [] } })
      const [first, second] = actions
      if (first?._tag === "Refuse") return first.refusal.code
      return second?._tag === "AcknowledgeWrite" ? second.keys : actions
    },
    own: (from: string, collection: string, { key = 1, nowMs = 0 } = {}) =>
      relay.take({ _tag: "OwnershipRequested", from, collection, key, nowMs }),
    answer: (from: string, request: number, granted: boolean) =>
      relay.take({ _tag: "OwnershipAnswered", from, request, granted }),
    drop: (from: string, nowMs: number) => relay.take({ _tag: "ClientDropped", from, nowMs }),
    leave: (from: string) => relay.take({ _tag: "ClientLeft", from }),
    pass: (nowMs: number) => relay.take({ _tag: "TimePassed", nowMs }),
    dueAtMs: () => dueAtMs(relay.state),
    keys: (table: number) => relay.state.tables.list[table]?.records.map(({ id }) => id) ?? [],
    ownerOf: (table: number, key: number): string | null | undefined => {
      const found = relay.state.tables.list[table]
      return found === undefined ? undefined : findRecord(found, key)?.owner
    }
  }
  return relay
}
