import type { FieldShape, Row } from "./Row.ts"

const timestamp = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"
/** What a retention window is written as. */
const window = "^(forever|\\d+[mhd])$"
const text: FieldShape = { type: ["string"] }
const whole: FieldShape = { type: ["integer"] }
const windowOrNull: FieldShape = { type: ["string", "null"], pattern: window }
const momentOrNull: FieldShape = { type: ["string", "null"], pattern: timestamp }
const moment: FieldShape = { type: ["string"], pattern: timestamp }

/** Resources: list row, detail and delete result of a room. */
export const roomRows: ReadonlyArray<Row> = [
  {
    kind: "shape",
    ids: [
      "rooms.row.exact-keys",
      "rooms.row.project",
      "rooms.row.roomId",
      "rooms.row.status",
      "rooms.row.slot",
      "rooms.row.lastSeen",
      "rooms.row.clients",
      "rooms.row.maxClients",
      "rooms.row.backfill",
      "rooms.row.retention",
      "rooms.row.retentionOverride",
      "rooms.row.deletesAt"
    ],
    of: "an element of GET /v1/projects/:id/rooms",
    fields: {
      project: { type: ["string"], pattern: "^p_[0-9a-f]{16}$" },
      roomId: text,
      status: text,
      slot: whole,
      lastSeen: moment,
      clients: whole,
      maxClients: whole,
      backfill: { type: ["boolean"] },
      retention: windowOrNull,
      retentionOverride: windowOrNull,
      deletesAt: momentOrNull
    },
    exact: true
  },
  {
    kind: "statement",
    ids: ["rooms.row.status.values"],
    is: { values: ["starting", "awake", "draining", "hibernated", "restarting", "closed"] }
  },
  { kind: "statement", ids: ["rooms.row.slot.meaning"], is: { first: 0 } },
  { kind: "statement", ids: ["rooms.row.lastSeen.clock"] },
  { kind: "statement", ids: ["rooms.row.deletesAt.approximate"] },
  { kind: "statement", ids: ["rooms.detail.deletesAt.exact"] },
  { kind: "statement", ids: ["rooms.status.advisory"] },
  { kind: "statement", ids: ["rooms.list.pruned-row-absent"] },
  {
    kind: "shape",
    ids: [
      "rooms.detail.exact-keys",
      "rooms.detail.roomId",
      "rooms.detail.type",
      "rooms.detail.class",
      "rooms.detail.retention",
      "rooms.detail.retentionOverride",
      "rooms.detail.deletesAt",
      "rooms.detail.saves",
      "rooms.detail.stateBytes",
      "rooms.detail.lastSeen"
    ],
    of: "GET and PATCH /v1/projects/:id/rooms/:roomId",
    fields: {
      roomId: text,
      status: text,
      type: text,
      class: text,
      retention: windowOrNull,
      retentionOverride: windowOrNull,
      deletesAt: momentOrNull,
      saves: whole,
      stateBytes: whole,
      lastSeen: moment
    },
    exact: true
  },
  { kind: "statement", ids: ["rooms.detail.status"], is: { rowless: "hibernated" } },
  {
    kind: "statement",
    ids: ["rooms.detail.class.values"],
    is: { values: ["standard", "large", "xlarge"] },
    numbers: [64, 256, 1]
  },
  { kind: "statement", ids: ["rooms.detail.one-storage-listing"], is: { listings: 1 } },
  { kind: "statement", ids: ["rooms.class.follows-type"] },
  {
    kind: "shape",
    ids: ["rooms.delete.result.roomId", "rooms.delete.result.objects"],
    of: "DELETE /v1/projects/:id/rooms/:roomId",
    fields: { roomId: text, objects: whole },
    exact: true
  },
  { kind: "statement", ids: ["rooms.list.array"] },
  { kind: "statement", ids: ["rooms.list.pagination"], is: { rooms: 120 } },
  {
    kind: "error",
    ids: ["rooms.list.active.bad-value"],
    outcome: { status: 400, code: "E_BAD_REQUEST" },
    names: "active"
  },
  { kind: "statement", ids: ["rooms.patch.returns-detail"] },
  {
    kind: "text",
    ids: ["rooms.patch.retention.type"],
    pattern: "^(forever|[1-9]\\d*[mhd])$",
    good: ["30m", "12h", "7d", "forever"],
    bad: ["", "never", "Forever", "10", "10s", "null"],
    outcome: { status: 400, code: "E_BAD_REQUEST" }
  },
  {
    kind: "shape",
    ids: ["rooms.patch.public.type"],
    of: "the body of PATCH /v1/projects/:id/rooms/:roomId",
    fields: { public: { type: ["boolean"] } }
  },
  { kind: "statement", ids: ["rooms.delete.force.value"], is: { force: "true" } },
  {
    kind: "error",
    ids: ["rooms.list.unknown-param"],
    outcome: { status: 400, code: "E_BAD_REQUEST" },
    names: "the parameter"
  },
  { kind: "error", ids: ["rooms.list.bad-duration"], outcome: { status: 400 } },
  { kind: "statement", ids: ["rooms.list.filters-combine"] },
  { kind: "statement", ids: ["rooms.list.idle-longer-than"] },
  { kind: "statement", ids: ["rooms.list.active-true"] },
  { kind: "statement", ids: ["rooms.list.active-false"] },
  {
    kind: "error",
    ids: ["rooms.get.not-found"],
    outcome: { status: 404, code: "E_ROOM_NOT_FOUND" }
  },
  { kind: "statement", ids: ["rooms.get.rowless-hibernated"], is: { status: "hibernated" } },
  {
    kind: "error",
    ids: [
      "rooms.patch.not-found",
      "rooms.delete.not-found",
      "rooms.saves.not-found",
      "rooms.restore.not-found"
    ],
    outcome: { status: 404, code: "E_ROOM_NOT_FOUND" }
  },
  { kind: "statement", ids: ["rooms.patch.retention.duration"] },
  { kind: "statement", ids: ["rooms.patch.retention.forever"], is: { value: "forever" } },
  { kind: "statement", ids: ["rooms.patch.retention.null"], is: { value: null } },
  { kind: "statement", ids: ["rooms.patch.retention.wins-both-ways"] },
  { kind: "statement", ids: ["rooms.patch.public.true"] },
  { kind: "statement", ids: ["rooms.patch.public.false"] },
  { kind: "statement", ids: ["rooms.patch.public.same-row"] },
  { kind: "statement", ids: ["rooms.patch.atomic"] },
  {
    kind: "error",
    ids: ["rooms.patch.unknown-field"],
    outcome: { status: 400, code: "E_BAD_REQUEST" },
    names: "the field"
  },
  { kind: "statement", ids: ["rooms.delete.player-data-kept"] },
  { kind: "statement", ids: ["rooms.delete.scores-kept"] },
  {
    kind: "error",
    ids: ["rooms.delete.force.names-server"],
    outcome: { status: 502, code: "E_EVICT_FAILED" },
    names: "the server"
  },
  { kind: "statement", ids: ["rooms.delete.relay-ends-with-last-client"] }
]
