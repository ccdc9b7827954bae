import type { Row } from "./Row.ts"
import { atMost, dayMs, kib, kilobytes, mib, minuteMs, secondMs } from "./Units.ts"

const limited = { code: "E_RATE_LIMITED", close: 4429 } as const
const full = { code: "E_ROOM_FULL", close: 4409 } as const
const slow = { code: "E_SLOW_CONSUMER", close: 1008 } as const
const thrown = {} as const

/** Connection and room limits. */
const connectionLimits: ReadonlyArray<Row> = [
  { kind: "boundary", ids: ["limits.maxClients.default"], ...atMost(64, "count"), outcome: full },
  {
    kind: "bucket",
    ids: ["limits.frames.rate", "limits.frames.burst"],
    endpoint: "frames of a connection",
    key: "connection",
    rate: 240,
    perMs: secondMs,
    burst: 480,
    outcome: { code: "E_RATE_LIMITED", close: "open" },
    told: "once",
    numbers: [2]
  },
  {
    kind: "bucket",
    ids: ["limits.joins.address"],
    endpoint: "joins",
    key: "address",
    rate: 600,
    perMs: minuteMs,
    burst: 600,
    outcome: limited
  },
  {
    kind: "bucket",
    ids: ["limits.joins.project"],
    endpoint: "joins",
    key: "project",
    rate: 6000,
    perMs: minuteMs,
    burst: 6000,
    outcome: limited
  },
  {
    kind: "bucket",
    ids: ["limits.connections.burst", "limits.connections.refill", "limits.connections.default"],
    endpoint: "new connections",
    key: "address",
    rate: 2,
    perMs: secondMs,
    burst: 120,
    outcome: limited
  },
  { kind: "statement", ids: ["limits.connections.ipv6-64"], is: { prefixBits: 64 } },
  { kind: "statement", ids: ["limits.connections.per-server"] },
  { kind: "statement", ids: ["limits.connections.settable"] },
  {
    kind: "boundary",
    ids: ["limits.handshake.timeout"],
    ...atMost(5 * secondMs, "ms"),
    outcome: { code: "E_HANDSHAKE_TIMEOUT", close: 4408 }
  },
  {
    kind: "boundary",
    ids: ["limits.chat.bytes"],
    ...atMost(512, "bytes"),
    outcome: { code: "E_CHAT_TOO_LONG", close: "open" }
  },
  {
    kind: "bucket",
    ids: ["limits.chat.rate", "limits.chat.burst", "limits.chat.told-once"],
    endpoint: "chat lines of a connection",
    key: "connection",
    rate: 1,
    perMs: secondMs,
    burst: 5,
    outcome: { code: "E_CHAT_RATE", close: "open" },
    told: "once"
  },
  {
    kind: "boundary",
    ids: ["limits.outbound.player"],
    ...atMost(4 * mib, "bytes"),
    outcome: slow
  },
  { kind: "boundary", ids: ["limits.outbound.viewer"], ...kilobytes(256), outcome: slow },
  { kind: "statement", ids: ["limits.outbound.welcome-extra"] },
  {
    kind: "bucket",
    ids: ["limits.newrooms.count"],
    endpoint: "new rooms",
    key: "address",
    rate: 60,
    perMs: minuteMs,
    burst: 60,
    outcome: limited
  },
  { kind: "statement", ids: ["limits.newrooms.in-memory-free"] },
  { kind: "statement", ids: ["limits.newrooms.wake-counts"] },
  {
    kind: "statement",
    ids: ["limits.voice.ports"],
    is: { fromPort: 40_000, toPort: 40_999, protocols: ["UDP", "TCP"] }
  },
  { kind: "statement", ids: ["limits.room.traffic-443"], is: { port: 443 } },
  { kind: "statement", ids: ["slow.refused-bytes-unbilled"] },
  { kind: "statement", ids: ["slow.not-configurable"] }
]

/** Relay rooms and their audiences. */
const relayLimits: ReadonlyArray<Row> = [
  { kind: "boundary", ids: ["limits.relay.players"], ...atMost(64, "count"), outcome: full },
  { kind: "boundary", ids: ["limits.relay.players.free"], ...atMost(16, "count"), outcome: full },
  {
    kind: "boundary",
    ids: ["limits.relay.message-size", "error.room.E_WRITE_REJECTED"],
    ...kilobytes(64),
    outcome: { code: "E_WRITE_REJECTED", close: "open" }
  },
  {
    kind: "bucket",
    ids: ["limits.relay.bytes.rate", "limits.relay.bytes.burst"],
    endpoint: "bytes of relay messages of a connection",
    key: "connection",
    rate: 256 * kib,
    perMs: secondMs,
    burst: 1 * mib,
    outcome: { code: "E_RATE_LIMITED", close: "open" },
    told: "once"
  },
  { kind: "statement", ids: ["limits.relay.bytes.roomcode-exempt"] },
  {
    kind: "boundary",
    ids: ["limits.audience.seats", "error.room.E_AUDIENCE_FULL"],
    ...atMost(256, "count"),
    outcome: { code: "E_AUDIENCE_FULL" }
  },
  {
    kind: "boundary",
    ids: ["limits.audience.seats.free"],
    ...atMost(64, "count"),
    outcome: { code: "E_AUDIENCE_FULL" }
  },
  {
    kind: "bucket",
    ids: ["limits.audience.msg.rate", "limits.audience.msg.burst"],
    endpoint: "messages of an audience peer",
    key: "connection",
    rate: 2,
    perMs: secondMs,
    burst: 10,
    outcome: { close: "open" },
    told: "once"
  },
  {
    kind: "boundary",
    ids: ["limits.relay.state", "error.room.E_STATE_CAP"],
    ...kilobytes(512),
    outcome: { code: "E_STATE_CAP", close: "open" }
  },
  {
    kind: "boundary",
    ids: ["limits.relay.records", "error.room.E_RECORD_CAP"],
    ...atMost(1024, "count"),
    outcome: { code: "E_RECORD_CAP", close: "open" }
  },
  {
    kind: "bucket",
    ids: [
      "limits.relay.write-ops",
      "limits.relay.write-ops.per-operation",
      "limits.relay.write-ops.whole-frame",
      "error.room.E_WRITE_RATE"
    ],
    endpoint: "write operations of a client",
    key: "connection",
    rate: 35,
    perMs: secondMs,
    burst: 35,
    outcome: { code: "E_WRITE_RATE", close: "open" }
  },
  {
    kind: "boundary",
    ids: ["limits.relay.ownership-timeout"],
    ...atMost(5 * secondMs, "ms"),
    outcome: { close: "open" }
  },
  { kind: "statement", ids: ["relay.schema-change-resets"] },
  { kind: "statement", ids: ["relay.same-schema-preserves"] }
]

/** Persisted player fields and physics. */
const declaredLimits: ReadonlyArray<Row> = [
  { kind: "boundary", ids: ["limits.player-fields.bytes"], ...kilobytes(4), outcome: thrown },
  {
    kind: "boundary",
    ids: ["limits.player-fields.players"],
    ...atMost(10_000, "count"),
    outcome: { code: "E_PLAYERS_FULL" }
  },
  {
    kind: "documented",
    ids: ["limits.player-fields.raisable"],
    reason: "Support raises it on request: no route does."
  },
  {
    kind: "keep",
    ids: ["limits.player-fields.retention"],
    datum: "persisted fields of a player",
    forMs: 90 * dayMs,
    becomes: "defaults"
  },
  {
    kind: "boundary",
    ids: ["limits.physics.history"],
    ...atMost(240, "count"),
    least: 0,
    outcome: thrown
  },
  { kind: "statement", ids: ["limits.physics.history.cost"], numbers: [120] },
  { kind: "boundary", ids: ["limits.physics.channels"], ...atMost(8, "count"), outcome: thrown },
  { kind: "statement", ids: ["limits.physics.channels.cost"], numbers: [4] }
]

export const connectionRows: ReadonlyArray<Row> = [
  ...connectionLimits,
  ...relayLimits,
  ...declaredLimits
]
