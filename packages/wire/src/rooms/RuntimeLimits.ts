import { KiB, MiB, SecondMs, count, size, span } from "../limits/Limit.ts"

/** What a room may hold and ask, as its own process knows it. */
export const RuntimeLimits = {
  snapshotBytes: size("Encoded snapshot of one room", {
    max: 64 * MiB,
    per: "room",
    past: "the room restarts from its last snapshot"
  }),
  keptStateBytes: size("Encoded state that a room keeps for the welcomes of later turns", {
    max: 64 * KiB,
    per: "room",
    past: "the next turn encodes it anew"
  }),
  alarms: count("Alarms that a room may have set", {
    max: 64,
    per: "room",
    past: "the call throws"
  }),
  alarmNameBytes: size("Name of an alarm", { max: 64, per: "alarm", past: "the call throws" }),
  alarmEvery: span("Shortest period of room.every", {
    ms: 100,
    per: "alarm",
    past: "the call throws for a shorter one"
  }),
  savesWaiting: count("Calls of room.save() that may wait at once", {
    max: 64,
    per: "room",
    past: "the call is refused"
  }),
  lobbyMetadataBytes: size("JSON of the metadata that the public registry shows of a room", {
    max: KiB,
    per: "room",
    past: "the call throws"
  }),
  voiceChangesBytes: size("JSON of the voice groups that room code has changed in a turn", {
    max: MiB,
    per: "turn",
    past: "the process is ended"
  }),
  // In-room calls: what room code asks of the service.
  roomCallsWaiting: count("In-room calls that may wait for their answer", {
    max: 64,
    per: "room",
    past: "E_CALL_BUSY"
  }),
  roomCallBytes: size("Payload of an in-room call", {
    max: 64 * KiB,
    per: "call",
    past: "E_CALL_INVALID"
  }),
  roomCallNameBytes: size("Name of an in-room call", {
    max: 64,
    per: "call",
    past: "E_CALL_UNKNOWN"
  }),

  // The room process.
  roomFrameBytes: size("Frame between the service and a room process", {
    max: 80 * MiB,
    per: "frame",
    past: "the process is ended"
  }),
  roomJoin: span("Time for room code to accept or refuse a join", {
    ms: 10 * SecondMs,
    per: "join",
    past: "E_JOIN_REFUSED"
  }),
  roomRpc: span("Time for a client to answer an RPC of the room, unless the call says otherwise", {
    ms: 10 * SecondMs,
    per: "call",
    past: "E_RPC_TIMEOUT"
  }),
  roomTicksAtOnce: count("Ticks that run at once after a stall", {
    max: 5,
    per: "room",
    past: "the ticks are skipped"
  }),

  // Relay rooms and their audiences (spec: Connection and room limits).
  relayPlayers: count("Players in one relay room", {
    max: 64,
    per: "relay room",
    past: "E_ROOM_FULL"
  })
} as const
