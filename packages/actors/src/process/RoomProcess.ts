import type { LogLevel } from "@atrium/runtime/host/HostFrames"
import type {
  CallAnswer,
  ChunkWanted,
  ClipOptions,
  JoinOrder,
  StartOrder
} from "@atrium/runtime/host/HostOrders"
import type { AnnouncedChunk, ClipAnswer } from "@atrium/runtime/host/ReplayReports"
import type {
  AlarmAt,
  CallFailure,
  LobbyChange,
  RoomCallRequest,
  Welcome
} from "@atrium/runtime/host/RoomReports"
import type { VoiceChange } from "@atrium/runtime/room/VoiceChanges"

import type { Exit, ExitCause } from "./ExitCause.ts"

/** A room to start, and the code that runs it. */
export interface RoomStart extends StartOrder {
  /** As `bundleRooms` made it. The same array may start many rooms: it is prepared once. */
  readonly bundle: Uint8Array
}

export type JoinRequest = JoinOrder

/** Receives what a room does. Called from the reader of fd 3; must not throw. */
export interface RoomProcessListener {
  /** Joins are taken from here on. */
  ready(): void
  joined(ref: number, welcome: Welcome): void
  /** The join was refused; the ref is unknown to the room from here on. */
  refused(ref: number, refusal: { readonly code: string; readonly message: string }): void
  /**
   * A complete client frame, encoded once: a view that holds until the call returns. Refs that were
   * dropped meanwhile are left out.
   */
  deliver(refs: ReadonlyArray<number> | "all", frame: Uint8Array): void
  /** The room lets a client go; the ref is unknown to the room from here on. */
  kick(ref: number, close: { readonly code: number; readonly reason: string }): void
  /** Once after the start and after each snapshot: there is something new to store. */
  changed(): void
  /** Wants a snapshot that is taken after this call to be stored; answered by `saved`. */
  saveRequested(saveId: number, generation: boolean): void
  snapshot(requestId: number, bytes: Uint8Array): void
  /** All alarms that are set now. */
  alarms(alarms: ReadonlyArray<AlarmAt>): void
  lobby(change: LobbyChange): void
  /** The voice groups of these clients have changed. */
  voice(changes: ReadonlyArray<VoiceChange>): void
  /** A line within its limit. A stack names places of the bundle. */
  log(level: LogLevel, line: string): void
  /** A line past what the room may log; nobody looks at it. */
  lineDropped(): void
  /** So many more ticks of the room began a whole period late or later, or never ran. */
  ticksOverran(ticks: number): void
  playerChanged(playerId: string, bytes: Uint8Array): void
  /** Room code asks something of the service; answered by `callAnswered`, once. */
  called(callId: number, request: RoomCallRequest): void
  /** A call of a client in `dev` that room code failed at. */
  callFailed(failure: CallFailure): void
  /** Absent = the room's type declares no replay. */
  readonly footage?: FootageListener
  /** Exactly once, and always the last call. */
  exited(exit: Exit): void
}

/** Receives what a room records of itself. */
export interface FootageListener {
  /** A chunk that was asked for; empty = the room has it no more. */
  chunk(requestId: number, bytes: Uint8Array): void
  /** A chunk of the recording is there to be taken. */
  chunkReady(chunk: AnnouncedChunk): void
  /** The recording has no further chunks. */
  recordingLost(): void
  /** What became of a clip that was asked for. */
  clipMade(requestId: number, answer: ClipAnswer): void
}

/** The footage that a room's process holds. Orders to a room that records nothing do nothing. */
export interface RoomFootage {
  takeChunk(requestId: number, wanted: ChunkWanted): void
  makeClip(requestId: number, options: ClipOptions): void
  recordingEnded(replayId: string, why: string): void
  /** Compressed bytes that it may have from now on. */
  resize(bytes: number): void
}

/** One room process. Orders after its end, or about refs that it does not know, do nothing. */
export interface RoomProcess {
  readonly pid: number
  /** Memory that the room has taken, in bytes; absent = it has no process of its own. */
  readonly usedBytes?: number
  start(start: RoomStart): void
  join(request: JoinRequest): void
  /** A client's frame as it came. */
  data(ref: number, frame: Uint8Array): void
  /** The connection was lost. */
  drop(ref: number): void
  /** The client left for good. */
  leave(ref: number): void
  /** `final`: onDispose runs first, and nothing of the room moves afterwards. */
  requestSnapshot(requestId: number, options: { readonly final: boolean }): void
  /** Asks for the state without any effect; `snapshot` follows, empty where the state is over its limit. */
  peek(requestId: number): void
  /** @param wall why no save generation was added, as the caller of `room.save()` is told */
  saved(saveId: number, stored: boolean, wall?: string): void
  /** Calls back when all has come that the room says to its orders so far; never after its end. */
  settled(then: () => void): void
  callAnswered(callId: number, answer: CallAnswer): void
  /** Absent = it runs no code that could record anything. */
  readonly footage?: RoomFootage
  /** The service's clock shows this now, and goes on from there or stands. */
  clockMoved(nowMs: number, runs: boolean): void
  /** Ends the process at once; `exited` follows with this cause. */
  kill(cause: ExitCause): void
}
