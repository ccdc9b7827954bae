import type { Row } from "./Row.ts"
import { atMost, dayMs, megabytes, minuteMs, secondMs } from "./Units.ts"

/** Replay limits. */
export const replayRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["replay.seconds.default"], is: { seconds: 60 } },
  {
    kind: "boundary",
    ids: ["replay.seconds.max"],
    ...atMost(300, "count"),
    outcome: {}
  },
  { kind: "statement", ids: ["replay.seconds.drop-oldest"] },
  { kind: "boundary", ids: ["replay.memory"], ...megabytes(8), outcome: {} },
  { kind: "statement", ids: ["replay.memory.state-exceeds-ring"] },
  {
    kind: "error",
    ids: ["replay.memory.disarmed", "error.room.E_CLIP_DISARMED"],
    outcome: { code: "E_CLIP_DISARMED" }
  },
  {
    kind: "bucket",
    ids: ["replay.clip.rate", "error.room.E_CLIP_COOLDOWN"],
    endpoint: "clips of a room",
    key: "room",
    rate: 1,
    perMs: secondMs,
    burst: 1,
    outcome: { code: "E_CLIP_COOLDOWN" }
  },
  {
    kind: "boundary",
    ids: ["replay.clip.size", "error.room.E_CLIP_TOO_LARGE"],
    ...megabytes(16),
    outcome: { code: "E_CLIP_TOO_LARGE" }
  },
  {
    kind: "keep",
    ids: ["replay.ttl.default"],
    datum: "a clip or recording",
    forMs: 30 * dayMs,
    becomes: "gone"
  },
  {
    kind: "boundary",
    ids: ["replay.ttl.range"],
    unit: "ms",
    accept: 3650 * dayMs,
    refuse: 3651 * dayMs,
    least: 1 * minuteMs,
    outcome: {}
  },
  { kind: "statement", ids: ["replay.ttl.grace-minute"], is: { graceMs: 1 * minuteMs } },
  { kind: "statement", ids: ["replay.ttl.fixed-when-saved"] },
  { kind: "boundary", ids: ["replay.recording.size"], ...megabytes(256), outcome: {} },
  { kind: "boundary", ids: ["replay.chunks.waiting"], ...atMost(2, "count"), outcome: {} },
  {
    kind: "boundary",
    ids: ["replay.excerpt.window", "error.room.E_EXCERPT_TOO_LONG"],
    ...atMost(30 * secondMs, "ms"),
    outcome: { code: "E_EXCERPT_TOO_LONG" }
  },
  {
    kind: "bucket",
    ids: ["replay.excerpt.concurrent", "replay.excerpt.rate", "error.room.E_EXCERPT_COOLDOWN"],
    endpoint: "excerpts of a room",
    key: "room",
    rate: 1,
    perMs: secondMs,
    burst: 4,
    outcome: { code: "E_EXCERPT_COOLDOWN" }
  },
  {
    kind: "boundary",
    ids: ["replay.excerpt.output", "error.room.E_EXCERPT_TOO_LARGE"],
    ...megabytes(4),
    outcome: { code: "E_EXCERPT_TOO_LARGE" }
  },
  { kind: "statement", ids: ["replay.recording.ttl-from-first-chunk"] },
  { kind: "statement", ids: ["replay.excerpt.separate-from-clips"] },
  { kind: "statement", ids: ["replay.billing"] }
]
