import type { Row } from "./Row.ts"
import { atMost, gigabytes, mib, minuteMs, secondMs } from "./Units.ts"

const badRequest = { status: 400, code: "E_BAD_REQUEST" } as const

/** Project settings. */
const settingRows: ReadonlyArray<Row> = [
  {
    kind: "error",
    ids: ["project.patch.name.required", "project.patch.name.must-match"],
    outcome: badRequest,
    names: "name"
  },
  {
    kind: "shape",
    ids: ["project.patch.connections.type"],
    of: "the body of PATCH /v1/projects/:id",
    fields: { connectionsPerIpPerMin: { type: ["integer", "null"] } }
  },
  {
    kind: "statement",
    ids: ["project.patch.connections.null-restores-default"],
    is: { perMinute: 120 }
  },
  {
    kind: "shape",
    ids: ["project.patch.vmMemMib.type"],
    of: "the body of PATCH /v1/projects/:id",
    fields: { vmMemMib: { type: ["integer", "null"] } }
  },
  {
    kind: "boundary",
    ids: ["project.patch.vmMemMib.min"],
    unit: "count",
    accept: 128,
    refuse: 127,
    outcome: badRequest
  },
  {
    kind: "boundary",
    ids: ["project.patch.vmMemMib.max", "limits.vmMemMib"],
    ...atMost(4096, "count"),
    least: 128,
    outcome: badRequest
  },
  { kind: "statement", ids: ["project.patch.vmMemMib.null-automatic"] },
  { kind: "statement", ids: ["project.patch.queues-boards-same-form"] },
  {
    kind: "shape",
    ids: ["project.record.shape"],
    of: "the answer of GET /v1/projects/:id",
    fields: {
      id: { type: ["string"] },
      name: { type: ["string"] },
      plan: { type: ["string"], values: ["free", "card"] },
      createdAt: { type: ["string"] },
      connectionsPerIpPerMin: { type: ["integer", "null"] },
      vmMemMib: { type: ["integer", "null"] },
      queues: { type: ["object", "null"] },
      boards: { type: ["object", "null"] },
      origins: { type: ["array", "null"] },
      audienceRole: { type: ["string", "null"] },
      preRelease: { type: ["boolean", "null"] },
      static: { type: ["object", "null"] },
      currentVersion: { type: ["integer", "null"] }
    },
    exact: true
  },
  { kind: "statement", ids: ["project.patch.response"] },
  {
    kind: "statement",
    ids: ["project.connections.env"],
    is: { variable: "SERVICE_CONNECTIONS_PER_IP_PER_MIN" }
  },
  { kind: "statement", ids: ["project.connections.cold-boot"] },
  { kind: "statement", ids: ["project.vmMem.next-start"] },
  { kind: "statement", ids: ["project.vmMem.overrides-physics"] },
  { kind: "statement", ids: ["project.vmMem.cold-boot"] },
  { kind: "statement", ids: ["project.vmMem.auto-128"], is: { memoryBytes: 128 * mib } },
  { kind: "statement", ids: ["project.vmMem.auto-256-physics"], is: { memoryBytes: 256 * mib } },
  {
    kind: "boundary",
    ids: ["selfrun.connections-zero-refused"],
    unit: "count",
    accept: 1,
    refuse: 0,
    outcome: {},
    numbers: [0]
  }
]

const wall = { status: 402, code: "E_CAP_REACHED" } as const

/** Usage caps; the refusal at a wall is D-45. */
const capRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["caps.set-per-project-and-meter"] },
  { kind: "statement", ids: ["caps.null-clears"], is: { cleared: null } },
  { kind: "statement", ids: ["caps.body-shape"], is: { field: "caps" } },
  {
    kind: "shape",
    ids: ["caps.read-shape"],
    of: "the answer of GET /v1/projects/:id/caps",
    fields: {
      tier: { type: ["string"], values: ["free", "card"] },
      period: { type: ["object"] },
      meters: { type: ["object"] }
    },
    exact: true,
    is: { meter: ["allowance", "ceiling", "state", "used"], states: ["ok", "warned", "walled"] }
  },
  {
    kind: "move",
    ids: ["caps.free.wall"],
    subject: "caps",
    from: "below the cap",
    trigger: "the cap is reached",
    guard: "free, no card",
    to: "hard wall",
    outcome: wall
  },
  { kind: "statement", ids: ["caps.free.nothing-killed"] },
  { kind: "statement", ids: ["caps.card.continues"] },
  {
    kind: "move",
    ids: ["caps.owner-ceiling.wall"],
    subject: "caps",
    from: "below the ceiling",
    trigger: "the owner's ceiling is reached",
    to: "hard wall",
    outcome: wall
  },
  { kind: "statement", ids: ["caps.connected-keep-playing"] },
  { kind: "statement", ids: ["caps.existing-rooms-accept-joins"] },
  { kind: "statement", ids: ["caps.room-hours.refuses-new-rooms"], outcome: wall },
  { kind: "statement", ids: ["caps.storage.refuses-writes"], outcome: wall },
  { kind: "statement", ids: ["caps.voice.refuses-new-calls"], outcome: wall },
  { kind: "statement", ids: ["caps.lag.room-hours"], is: { lagMs: 95 * secondMs } },
  { kind: "statement", ids: ["caps.lag.storage"], is: { lagMs: 17 * minuteMs } },
  { kind: "statement", ids: ["caps.stale-keeps-last"] },
  {
    kind: "boundary",
    ids: ["caps.dataout.overshoot"],
    ...gigabytes(5),
    outcome: { close: 4290 }
  },
  { kind: "statement", ids: ["caps.dataout.sustained"], is: { forMs: 10 * secondMs } },
  { kind: "statement", ids: ["caps.hibernated-no-hours"] }
]

export const projectRows: ReadonlyArray<Row> = [...settingRows, ...capRows]
