import type { Row } from "./Row.ts"
import { minuteMs } from "./Units.ts"

const inUse = { status: 409, code: "E_ROOM_IN_USE" } as const
const deleted = { close: 4291, code: "E_ROOM_DELETED" } as const

/** States and transitions: each row of the table, and what stands around it. */
export const stateRows: ReadonlyArray<Row> = [
  {
    kind: "statement",
    ids: ["state.room.filter-classes"],
    is: { asleep: "hibernated", awake: "active=true", notAwake: "active=false" }
  },
  {
    kind: "statement",
    ids: ["state.room.transitions-unlisted"],
    is: {
      joined: ["starting", "awake"],
      left: ["awake", "draining", "hibernated"],
      woken: ["hibernated", "starting", "awake"],
      crashed: "closed"
    }
  },
  {
    kind: "move",
    ids: ["state.key.post-active"],
    subject: "key",
    from: "none",
    trigger: "POST keys",
    guard: "valid login credential",
    to: "active"
  },
  {
    kind: "move",
    ids: ["state.key.delete-revoked"],
    subject: "key",
    from: "active",
    trigger: "DELETE key",
    to: "revoked"
  },
  {
    kind: "error",
    ids: ["state.key.revoked-401"],
    outcome: { status: 401, code: "E_UNAUTHENTICATED" }
  },
  {
    kind: "move",
    ids: ["state.room.delete-awake-noforce"],
    subject: "room",
    from: "awake",
    trigger: "DELETE room",
    guard: "no force",
    to: "awake",
    outcome: inUse
  },
  {
    kind: "move",
    ids: ["state.room.force-delete"],
    subject: "room",
    from: "awake",
    trigger: "DELETE room with force=true",
    guard: "server reachable, non-relay project",
    to: "gone"
  },
  {
    kind: "move",
    ids: ["state.room.force-delete.clients-closed-first", "error.room.E_ROOM_DELETED"],
    subject: "room",
    from: "awake",
    trigger: "DELETE room with force=true",
    guard: "server reachable, non-relay project",
    to: "gone",
    outcome: deleted
  },
  { kind: "statement", ids: ["state.room.force-delete.clients-stop"], outcome: deleted },
  {
    kind: "move",
    ids: ["state.room.force-delete.unreachable"],
    subject: "room",
    from: "awake",
    trigger: "DELETE room with force=true",
    guard: "server unreachable",
    to: "awake",
    outcome: { status: 502, code: "E_EVICT_FAILED" }
  },
  {
    kind: "move",
    ids: ["state.room.delete-relay"],
    subject: "relay",
    from: "any",
    trigger: "DELETE room",
    to: "unchanged",
    outcome: inUse
  },
  {
    kind: "move",
    ids: [
      "state.room.delete-asleep",
      "state.room.delete-asleep.all-versions",
      "state.room.delete-asleep.saves",
      "state.room.delete-asleep.alarms"
    ],
    subject: "room",
    from: "not awake",
    trigger: "DELETE room",
    to: "gone"
  },
  {
    kind: "move",
    ids: ["state.room.retention-sweep", "state.room.retention.type-or-override"],
    subject: "room",
    from: "not awake",
    trigger: "the retention window lapses after the last activity",
    guard: "type or override declares a window",
    to: "gone",
    is: { sweepMs: 15 * minuteMs }
  },
  {
    kind: "move",
    ids: ["state.room.retention.awake-not-swept"],
    subject: "room",
    from: "awake",
    trigger: "the retention window lapses after the last activity",
    to: "awake"
  },
  {
    kind: "move",
    ids: ["state.row.pruned.state-untouched"],
    subject: "row",
    from: "listed",
    trigger: "30 days after the last report",
    to: "pruned",
    is: { status: "hibernated" }
  },
  {
    kind: "move",
    ids: [
      "state.room.restore.discards-current",
      "state.room.restore.server-stopped",
      "state.room.restore.others-unchanged"
    ],
    subject: "room",
    from: "any",
    trigger: "restore queued",
    guard: "rooms:write",
    to: "the state of the generation"
  },
  {
    kind: "move",
    ids: ["state.room.public-started"],
    subject: "room",
    from: "started",
    trigger: "PATCH public",
    guard: "game already started",
    to: "unchanged",
    outcome: { status: 409, code: "E_ROOM_STARTED" }
  },
  {
    kind: "move",
    ids: ["state.room.dataout-hibernates", "events.4290.dataout", "caps.dataout.close"],
    subject: "room",
    from: "awake",
    trigger: "data-out allowance reached",
    to: "hibernated",
    outcome: { close: 4290 }
  },
  {
    kind: "move",
    ids: ["state.socket.slow-consumer", "events.1008.slow", "error.room.E_SLOW_CONSUMER"],
    subject: "socket",
    from: "open",
    trigger: "outbound buffer over budget",
    to: "closed",
    outcome: { close: 1008, code: "E_SLOW_CONSUMER" }
  },
  {
    kind: "move",
    ids: ["state.worker.memory-restart", "memory.restart-from-saved"],
    subject: "worker",
    from: "running",
    trigger: "memory ceiling exceeded",
    to: "restarted from saved state"
  },
  {
    kind: "move",
    ids: ["state.worker.three-restarts-close", "limits.worker.restarts"],
    subject: "worker",
    from: "running",
    trigger: "memory ceiling exceeded",
    guard: "the third time within the window",
    to: "closed",
    is: { restarts: 3, withinMs: 1 * minuteMs }
  },
  {
    kind: "move",
    ids: ["state.room.delete-race-fresh-room"],
    subject: "room",
    from: "being deleted",
    trigger: "a player reconnects",
    to: "a fresh room of the same id"
  }
]
