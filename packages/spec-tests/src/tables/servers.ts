import type { Row } from "./Row.ts"
import { atMost, gigabytes, kib, megabytes, mib, minuteMs } from "./Units.ts"

const thrown = {} as const
const waking = { code: "E_TENANT_WAKING", close: 4503 } as const

/** Schema limits, room budget, project limits, retention of logs and deployments. */
export const serverRows: ReadonlyArray<Row> = [
  {
    kind: "statement",
    ids: ["limits.intro.mgmt-rate"],
    is: { requests: 600, roomHours: 100, storageBytes: 1024 * mib, dataOutBytes: 10_240 * mib }
  },
  {
    kind: "boundary",
    ids: ["limits.schema.fields.entity", "limits.schema.fields.singleton"],
    ...atMost(255, "count"),
    outcome: thrown
  },
  {
    kind: "boundary",
    ids: ["limits.schema.messages"],
    ...atMost(256, "count"),
    outcome: thrown
  },
  {
    kind: "boundary",
    ids: ["limits.schema.rpcs"],
    ...atMost(60_000, "count"),
    outcome: thrown
  },
  { kind: "boundary", ids: ["budget.standard.memory"], ...megabytes(64), outcome: {} },
  { kind: "boundary", ids: ["budget.standard.awake"], ...atMost(20, "count"), outcome: waking },
  { kind: "boundary", ids: ["budget.large.memory"], ...megabytes(256), outcome: {} },
  { kind: "boundary", ids: ["budget.large.awake"], ...atMost(8, "count"), outcome: waking },
  { kind: "boundary", ids: ["budget.xlarge.memory"], ...gigabytes(1), outcome: {} },
  { kind: "boundary", ids: ["budget.xlarge.awake"], ...atMost(3, "count"), outcome: waking },
  { kind: "statement", ids: ["budget.asleep-free"] },
  {
    kind: "statement",
    ids: ["budget.mixed-fractions"],
    is: { roomsPerServer: { standard: 20, large: 8, extraLarge: 3 } }
  },
  { kind: "statement", ids: ["budget.sized-for-largest"] },
  { kind: "statement", ids: ["budget.default-standard"] },
  { kind: "statement", ids: ["budget.full-adds-server"] },
  { kind: "statement", ids: ["budget.free-stays-one"], is: { servers: 1 } },
  { kind: "boundary", ids: ["limits.free.awake"], ...atMost(10, "count"), outcome: waking },
  { kind: "statement", ids: ["budget.per-server"] },
  { kind: "statement", ids: ["memory.ceiling-counts-all"] },
  {
    kind: "error",
    ids: ["memory.server.refuses-new", "error.room.E_TENANT_WAKING"],
    outcome: waking
  },
  { kind: "statement", ids: ["memory.server.empty-sleep-early"] },
  { kind: "statement", ids: ["memory.server.restarts-largest"] },
  { kind: "statement", ids: ["memory.dev-heap"], is: { heapBytes: 256 * mib } },
  {
    kind: "boundary",
    ids: ["limits.bundle"],
    ...atMost(32 * mib, "bytes"),
    outcome: { status: 413, code: "E_BUNDLE_TOO_LARGE" }
  },
  { kind: "boundary", ids: ["limits.log.line"], ...atMost(8192, "utf16"), outcome: {} },
  {
    kind: "bucket",
    ids: ["limits.log.ingest"],
    endpoint: "bytes of log lines, in windows of a minute",
    key: "project",
    rate: 256 * kib,
    perMs: minuteMs,
    burst: 256 * kib,
    outcome: {}
  },
  {
    kind: "keep",
    ids: ["limits.log.buffer"],
    datum: "log lines of a room in the project's server",
    forMs: "forever",
    newest: 500,
    becomes: "gone"
  }
]
