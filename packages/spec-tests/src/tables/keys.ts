import type { FieldShape, Row } from "./Row.ts"
import { dayMs, hourMs, minuteMs } from "./Units.ts"

const notOne = ["", "5", "m", "0m", "-5m", "+5m", "5s", "5w", "5M", "5 M", "m5", "5mm", "0x5m"]
const refused = { status: 400, code: "E_BAD_REQUEST" } as const

const timestamp = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"
const moment: FieldShape = { type: ["string"], pattern: timestamp }
const momentOrNull: FieldShape = { type: ["string", "null"], pattern: timestamp }

/** D-18. */
const keyFields = {
  keyId: { type: ["string"] },
  label: { type: ["string"] },
  scopes: { type: ["array"] },
  createdAt: moment,
  lastUsed: momentOrNull,
  revokedAt: momentOrNull
} as const

/** Resources: durations, API keys and save generations. */
export const keyRows: ReadonlyArray<Row> = [
  {
    kind: "text",
    ids: ["duration.grammar"],
    pattern: "^[1-9]\\d*[mhd]$",
    good: ["1m", "90m", "12h", "30d"],
    bad: notOne,
    outcome: refused
  },
  {
    kind: "text",
    ids: ["duration.no-spaces"],
    pattern: "^\\S*$",
    good: ["10m"],
    bad: ["10 m", " 10m", "10m ", "1 0m", "10m\t", "10\u00a0m"],
    outcome: refused
  },
  {
    kind: "text",
    ids: ["duration.no-fractions"],
    pattern: "^[^.,/½]*$",
    good: ["1h"],
    bad: ["1.5h", "0.5d", "1.0m", "1,5h", "1/2h", "½h"],
    outcome: refused
  },
  {
    kind: "text",
    ids: ["duration.no-compounds"],
    pattern: "^\\d+[a-z]$",
    good: ["90m"],
    bad: ["1h30m", "1d12h", "1h1h", "1h-30m", "1h+30m"],
    outcome: refused
  },
  {
    kind: "boundary",
    ids: ["duration.min"],
    unit: "ms",
    accept: 1 * minuteMs,
    refuse: 0,
    outcome: refused
  },
  {
    kind: "boundary",
    ids: ["duration.max.days"],
    unit: "ms",
    accept: 3650 * dayMs,
    refuse: 3651 * dayMs,
    outcome: refused
  },
  {
    kind: "boundary",
    ids: ["duration.max.hours"],
    unit: "ms",
    accept: 87_600 * hourMs,
    refuse: 87_601 * hourMs,
    outcome: refused
  },
  {
    kind: "boundary",
    ids: ["duration.max.minutes"],
    unit: "ms",
    accept: 5_256_000 * minuteMs,
    refuse: 5_256_001 * minuteMs,
    outcome: refused
  },
  {
    kind: "text",
    ids: ["keys.secret.form"],
    pattern: "^\\S+[A-Za-z0-9_-]{43}$",
    good: [],
    bad: [],
    outcome: {}
  },
  { kind: "statement", ids: ["keys.secret.once"] },
  { kind: "statement", ids: ["keys.secret.only-hash-stored"], is: { hash: "SHA-256" } },
  {
    kind: "text",
    ids: ["keys.id.form"],
    pattern: "^key_[0-9a-f]+$",
    good: [],
    bad: [],
    outcome: {}
  },
  {
    kind: "shape",
    ids: ["keys.mint.scopes", "keys.mint.label"],
    of: "the body of POST /v1/projects/:id/keys",
    fields: { scopes: { type: ["array"] }, label: { type: ["string"] } },
    is: { scopes: ["rooms:read", "rooms:write"] }
  },
  {
    kind: "shape",
    ids: [
      "keys.row.label",
      "keys.row.scopes",
      "keys.row.lastUsed",
      "keys.row.revoked-time",
      "keys.row.stays-after-revoke"
    ],
    of: "an element of GET /v1/projects/:id/keys",
    fields: {
      label: { type: ["string"] },
      scopes: { type: ["array"] },
      lastUsed: { type: ["string", "null"] }
    }
  },
  { kind: "statement", ids: ["keys.list.no-material"] },
  {
    kind: "shape",
    ids: ["keys.row.field-names"],
    of: "an element of GET /v1/projects/:id/keys",
    fields: keyFields,
    exact: true
  },
  {
    kind: "keep",
    ids: ["keys.never-expire"],
    datum: "an API key",
    forMs: "forever",
    becomes: "stays"
  },
  { kind: "statement", ids: ["saves.identified-by-saveId"], is: { parameter: ":saveId" } },
  { kind: "statement", ids: ["saves.newest-first"] },
  { kind: "statement", ids: ["saves.bytes-raw"] },
  {
    kind: "shape",
    ids: ["saves.item-fields"],
    of: "an element of GET /v1/projects/:id/rooms/:roomId/saves",
    fields: {
      saveId: { type: ["string"], pattern: "^sv_[0-9a-f]{16}$" },
      createdAt: moment,
      bytes: { type: ["integer"] },
      version: { type: ["integer"] },
      schemaHash: { type: ["string"] },
      reason: { type: ["string"], values: ["interval", "hibernate", "manual", "restore"] }
    },
    exact: true
  },
  {
    kind: "keep",
    ids: ["saves.retention-10", "limits.saves", "retention.saves"],
    datum: "save generations of a room and a deployment version",
    forMs: "forever",
    newest: 10,
    becomes: "gone"
  },
  {
    kind: "statement",
    ids: ["saves.restore.body"],
    is: { field: "saveId", unknown: "E_SAVE_NOT_FOUND" }
  },
  {
    kind: "shape",
    ids: ["saves.restore.response"],
    of: "the answer of POST /v1/projects/:id/rooms/:roomId/restore",
    fields: {
      roomId: { type: ["string"] },
      saveId: { type: ["string"] },
      status: { type: ["string"], values: ["queued"] },
      queuedAt: moment
    },
    exact: true
  },
  { kind: "statement", ids: ["saves.restore.queued"] },
  { kind: "statement", ids: ["keys.list.array"] },
  {
    kind: "shape",
    ids: ["keys.mint.response-fields"],
    of: "the answer of POST /v1/projects/:id/keys",
    fields: { ...keyFields, secret: { type: ["string"] } },
    exact: true
  }
]
