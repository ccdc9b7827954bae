import { type ReportSink, Reports } from "@atrium/runtime/host/RoomReports"

const bytes = new Uint8Array([1, 2, 3])

/** One valid frame of each kind that a room process sends. */
export const validReports: ReadonlyArray<Uint8Array> = [
  Reports.booted(),
  Reports.described("[]"),
  Reports.failed("why", "stack"),
  Reports.ready(),
  Reports.joined(1, { sessionId: "s1", resumed: false, tick: 0, state: bytes }),
  Reports.refused(1, { code: "E_ROOM_FULL", message: "no" }),
  Reports.deliver([1], bytes),
  Reports.deliver("all", bytes),
  Reports.kick(1, { code: 4000, reason: "out" }),
  Reports.changed(),
  Reports.saveRequested(1, true),
  Reports.snapshot(1, bytes),
  Reports.alarms([
    { name: "alarm", atMs: 5 },
    { name: "bell", atMs: 6, everyMs: 100 }
  ]),
  Reports.lobby({ isPublic: true }),
  Reports.lobby({ metadata: '{"map":"ice"}' }),
  Reports.log("info", "line"),
  Reports.player("player", bytes),
  Reports.pong(1, null),
  Reports.pong(1, 3),
  Reports.weighed(1, 1000),
  Reports.snapshotTooLarge(1, 1_000_000),
  Reports.voice([
    { sessionId: "s1", groups: { speaks: ["red"], hears: ["red", "all"] } },
    { sessionId: "s2", groups: null }
  ]),
  Reports.called(1, { name: "noun.call", payload: bytes }),
  Reports.callFailed({ ref: 1, callId: 2, message: "why", stack: "stack" }),
  Reports.chunk(1, bytes),
  Reports.chunkReady({ number: 1, last: false }),
  Reports.recordingLost(),
  Reports.clipMade(1, { _tag: "Refused", code: "E_CLIP_COOLDOWN", message: "why" }),
  Reports.migrated(1, bytes),
  Reports.migrateFailed(1, "why", "stack")
]

const nothing = (): void => {}

/** Takes every report and does nothing. */
export const silentSink: ReportSink = {
  booted: nothing,
  described: nothing,
  failed: nothing,
  ready: nothing,
  joined: nothing,
  refused: nothing,
  deliver: nothing,
  kick: nothing,
  changed: nothing,
  snapshot: nothing,
  saveRequested: nothing,
  alarms: nothing,
  lobby: nothing,
  voice: nothing,
  log: nothing,
  player: nothing,
  pong: nothing,
  weighed: nothing,
  snapshotTooLarge: nothing,
  called: nothing,
  callFailed: nothing,
  chunk: nothing,
  chunkReady: nothing,
  recordingLost: nothing,
  clipMade: nothing,
  migrated: nothing,
  migrateFailed: nothing
}
