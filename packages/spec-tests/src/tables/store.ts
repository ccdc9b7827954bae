import type { Row } from "./Row.ts"
import { atMost, dayMs, kib, minuteMs } from "./Units.ts"

/** Storage limits of the player store (codes: D-36), and retention. */
export const storeRows: ReadonlyArray<Row> = [
  {
    kind: "boundary",
    ids: ["kv.limit.value"],
    ...atMost(16 * kib, "bytes"),
    outcome: { code: "E_KV_VALUE_TOO_LARGE" }
  },
  {
    kind: "boundary",
    ids: ["kv.limit.key"],
    ...atMost(256, "bytes"),
    least: 1,
    outcome: { code: "E_KV_KEY_TOO_LONG" }
  },
  {
    kind: "boundary",
    ids: ["kv.limit.playerId"],
    ...atMost(256, "bytes"),
    outcome: { code: "E_KV_PLAYER_ID_TOO_LONG" }
  },
  {
    kind: "boundary",
    ids: ["kv.limit.keys-per-player"],
    ...atMost(128, "count"),
    outcome: { code: "E_KV_KEYS_FULL" }
  },
  {
    kind: "boundary",
    ids: ["kv.limit.rows"],
    ...atMost(1_000_000, "count"),
    outcome: { code: "E_KV_ROWS_FULL" }
  },
  {
    kind: "bucket",
    ids: ["kv.rate.reads", "kv.rate.reads.burst"],
    endpoint: "reads of the player store",
    key: "project",
    rate: 12_000,
    perMs: minuteMs,
    burst: 3000,
    outcome: { code: "E_KV_RATE" }
  },
  {
    kind: "bucket",
    ids: ["kv.rate.writes", "kv.rate.writes.burst"],
    endpoint: "writes and deletes of the player store",
    key: "project",
    rate: 6000,
    perMs: minuteMs,
    burst: 2000,
    outcome: { code: "E_KV_RATE" }
  },
  {
    kind: "keep",
    ids: ["retention.logs"],
    datum: "log lines",
    forMs: 7 * dayMs,
    becomes: "gone"
  },
  {
    kind: "keep",
    ids: ["state.row.pruned-30d", "retention.rows"],
    datum: "rows of the room list",
    forMs: 30 * dayMs,
    becomes: "pruned"
  },
  {
    kind: "keep",
    ids: ["retention.state.forever"],
    datum: "a room's stored state",
    forMs: "forever",
    becomes: "stays"
  },
  {
    kind: "keep",
    ids: ["retention.state.type-window"],
    datum: "the stored state of a room whose type declares a window",
    forMs: 10 * minuteMs,
    sweepMs: 15 * minuteMs,
    becomes: "gone"
  },
  {
    kind: "keep",
    ids: ["retention.deployments"],
    datum: "deployments",
    forMs: "forever",
    becomes: "stays"
  }
]
