import type { Row } from "./Row.ts"
import { atMost, secondMs } from "./Units.ts"

/** Errors, and events that a connection sees. */
export const errorRows: ReadonlyArray<Row> = [
  {
    kind: "error",
    ids: ["error.http.E_BAD_REQUEST", "error.http.400-names"],
    outcome: { status: 400, code: "E_BAD_REQUEST" },
    names: "the parameter or field"
  },
  {
    kind: "error",
    ids: ["error.http.E_UNAUTHENTICATED"],
    outcome: { status: 401, code: "E_UNAUTHENTICATED" }
  },
  {
    kind: "error",
    ids: ["error.http.E_SCOPE"],
    outcome: { status: 403, code: "E_SCOPE" },
    names: "the scope"
  },
  {
    kind: "error",
    ids: ["error.http.E_NOT_FOUND"],
    outcome: { status: 404, code: "E_NOT_FOUND" }
  },
  {
    kind: "error",
    ids: ["error.http.E_ROOM_NOT_FOUND"],
    outcome: { status: 404, code: "E_ROOM_NOT_FOUND" }
  },
  {
    kind: "error",
    ids: ["error.http.E_ROOM_IN_USE"],
    outcome: { status: 409, code: "E_ROOM_IN_USE" }
  },
  {
    kind: "error",
    ids: ["error.http.E_ROOM_STARTED"],
    outcome: { status: 409, code: "E_ROOM_STARTED" }
  },
  {
    kind: "error",
    ids: ["error.http.E_EVICT_FAILED"],
    outcome: { status: 502, code: "E_EVICT_FAILED" },
    names: "the server"
  },
  { kind: "error", ids: ["error.room.E_RATE_LIMITED"], outcome: { code: "E_RATE_LIMITED" } },
  {
    kind: "error",
    ids: ["error.message.too-many-connections"],
    outcome: { code: "E_RATE_LIMITED" },
    is: { message: "too many connections from this address" }
  },
  {
    kind: "error",
    ids: ["error.rate-limited.sender-told-once"],
    outcome: { code: "E_RATE_LIMITED", close: "open" }
  },
  {
    kind: "boundary",
    ids: ["error.message.96-bytes"],
    ...atMost(96, "bytes"),
    outcome: {}
  },
  { kind: "statement", ids: ["error.message.cut-on-character"] },
  { kind: "statement", ids: ["error.message.ellipsis"], is: { end: "…", endBytes: 3 } },
  { kind: "statement", ids: ["error.app-data-never-trimmed"] },
  { kind: "statement", ids: ["schema.throws-at-build"] },
  { kind: "statement", ids: ["kv.over-limit-rejects"] },
  { kind: "statement", ids: ["kv.error-codes"] },
  { kind: "statement", ids: ["error.body-shape"] },
  {
    kind: "documented",
    ids: ["events.webhooks"],
    reason: "Notifications to the project are not shown; D-38: there are none."
  },
  {
    kind: "statement",
    ids: ["events.4291.fatal"],
    outcome: { close: 4291, code: "E_ROOM_DELETED" }
  },
  { kind: "statement", ids: ["events.cap.email"], is: { emails: 1 } },
  { kind: "statement", ids: ["events.dataout.warning-80"], is: { percent: 80 } },
  { kind: "statement", ids: ["events.dataout.warning-limit"], is: { percent: 100 } },
  { kind: "statement", ids: ["events.sustained-rate.log"], is: { forMs: 10 * secondMs } },
  { kind: "statement", ids: ["events.payloads"], is: { subprotocol: "rooms.v1" } },
  { kind: "statement", ids: ["metrics.sockets"], is: { metric: "sockets" } },
  { kind: "statement", ids: ["metrics.roomsByState"], is: { metric: "roomsByState" } },
  { kind: "statement", ids: ["metrics.ingressBytes"], is: { metric: "ingressBytes" } },
  { kind: "statement", ids: ["metrics.egressBytes"], is: { metric: "egressBytes" } },
  { kind: "statement", ids: ["metrics.rss"], is: { metric: "rss" } }
]
