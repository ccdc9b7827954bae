import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import { TextLimits } from "@atrium/wire/text/TextLimits"

import { readVoiceChanges, type VoiceChange, voiceChangesText } from "../room/VoiceChanges.ts"
import {
  deliverFrame,
  frameOf,
  FromRoom,
  HostFrameError,
  LogLevels,
  type LogLevel,
  PayloadReader,
  text
} from "./HostFrames.ts"
import { type AnnouncedChunk, type ClipAnswer, clipAnswerIn, CodePattern } from "./ReplayReports.ts"

export interface AlarmAt {
  readonly name: string
  /** Unix milliseconds. */
  readonly atMs: number
  /** It goes off again after this time; absent = it goes off once. */
  readonly everyMs?: number
}

export interface LobbyChange {
  readonly isPublic?: boolean
  readonly started?: boolean
  /** JSON; `null` = there is none any more. */
  readonly metadata?: string | null
}

/** What room code asks of the service. */
export interface RoomCallRequest {
  /** `<noun>.<call>` */
  readonly name: string
  /** msgpack that nobody has read yet. */
  readonly payload: Uint8Array
}

/** A call of a client that room code failed at. */
export interface CallFailure {
  readonly ref: number
  readonly callId: number
  readonly message: string
  /** It names places of the bundle. */
  readonly stack: string
}

export interface Welcome {
  readonly sessionId: string
  readonly resumed: boolean
  readonly tick: number
  readonly state: Uint8Array
}

/** Bounds of what a room process may report where no row of Limits says it. */
export const ReportBounds = {
  /** A refusal's code. */
  codeBytes: 64,
  /** A close reason: what fits into a WebSocket close frame. */
  reasonBytes: 123,
  /** A refusal's text, a failure's text. */
  messageBytes: 1024,
  /** A stack, or the UTF-8 of one log line of the longest kind. */
  lineBytes: 3 * TextLimits.logLineUnits.max
} as const

/** JSON's `null`, which says that there is none. */
const noMetadata = "null"

const lobbyByte = (value: boolean | undefined): { readonly u8: number } => ({
  u8: value === undefined ? 2 : value ? 1 : 0
})

/** Encoders of the frames of a room process. */
export const Reports = {
  booted: (): Uint8Array => frameOf(FromRoom.booted),
  described: (json: string): Uint8Array => frameOf(FromRoom.described, text(json)),
  failed: (why: string, stack: string): Uint8Array =>
    frameOf(FromRoom.failed, text(why), text(stack)),
  ready: (): Uint8Array => frameOf(FromRoom.ready),
  joined: (ref: number, { sessionId, resumed, tick, state }: Welcome): Uint8Array =>
    frameOf(
      FromRoom.joined,
      { u32: ref },
      { u8: resumed ? 1 : 0 },
      { u32: tick },
      text(sessionId),
      { rest: state }
    ),
  refused: (ref: number, refusal: { code: string; message: string }): Uint8Array =>
    frameOf(FromRoom.refused, { u32: ref }, text(refusal.code), text(refusal.message)),
  deliver: deliverFrame,
  kick: (ref: number, close: { code: number; reason: string }): Uint8Array =>
    frameOf(FromRoom.kick, { u32: ref }, { u16: close.code }, text(close.reason)),
  changed: (): Uint8Array => frameOf(FromRoom.changed),
  saveRequested: (saveId: number, generation: boolean): Uint8Array =>
    frameOf(FromRoom.saveRequested, { u32: saveId }, { u8: generation ? 1 : 0 }),
  snapshot: (requestId: number, bytes: Uint8Array): Uint8Array =>
    frameOf(FromRoom.snapshot, { u32: requestId }, { rest: bytes }),
  snapshotTooLarge: (requestId: number, bytes: number): Uint8Array =>
    frameOf(FromRoom.snapshotTooLarge, { u32: requestId }, { f64: bytes }),
  /** Only a service that sent `keepsPeriods` with the start order can read an alarm that repeats. */
  alarms: (alarms: ReadonlyArray<AlarmAt>): Uint8Array =>
    frameOf(
      FromRoom.alarms,
      { u16: alarms.length },
      ...alarms.flatMap(({ name, atMs }) => [{ f64: atMs }, text(name)]),
      ...periodsOf(alarms)
    ),
  /** A service that did not send `lobbyMetadata` with the start order cannot read metadata. */
  lobby: ({ isPublic, started, metadata }: LobbyChange): Uint8Array =>
    frameOf(
      FromRoom.lobby,
      lobbyByte(isPublic),
      lobbyByte(started),
      ...(metadata === undefined ? [] : [text(metadata ?? noMetadata)])
    ),
  log: (level: LogLevel, line: string): Uint8Array =>
    frameOf(FromRoom.log, { u8: LogLevels.indexOf(level) }, text(line)),
  player: (playerId: string, bytes: Uint8Array): Uint8Array =>
    frameOf(FromRoom.player, text(playerId), { rest: bytes }),
  /** @param overruns ticks that overran since the start; `null` = the service does not read them */
  pong: (number: number, overruns: number | null): Uint8Array =>
    overruns === null
      ? frameOf(FromRoom.pong, { u32: number })
      : frameOf(FromRoom.pong, { u32: number }, { u32: overruns }),
  weighed: (number: number, liveBytes: number): Uint8Array =>
    frameOf(FromRoom.weighed, { u32: number }, { f64: liveBytes }),
  called: (callId: number, { name, payload }: RoomCallRequest): Uint8Array =>
    frameOf(FromRoom.called, { u32: callId }, text(name), { rest: payload }),
  callFailed: ({ ref, callId, message, stack }: CallFailure): Uint8Array =>
    frameOf(FromRoom.callFailed, { u32: ref }, { u32: callId }, text(message), text(stack)),
  voice: (changes: ReadonlyArray<VoiceChange>): Uint8Array =>
    frameOf(FromRoom.voice, text(voiceChangesText(changes))),
  chunk: (requestId: number, bytes: Uint8Array): Uint8Array =>
    frameOf(FromRoom.chunk, { u32: requestId }, { rest: bytes }),
  chunkReady: ({ number, last }: AnnouncedChunk): Uint8Array =>
    frameOf(FromRoom.chunkReady, { u32: number }, { u8: last ? 1 : 0 }),
  recordingLost: (): Uint8Array => frameOf(FromRoom.recordingLost),
  clipMade: (requestId: number, answer: ClipAnswer): Uint8Array =>
    frameOf(
      FromRoom.clipMade,
      { u32: requestId },
      { u8: answer._tag === "Made" ? 1 : 0 },
      { rest: packValue(answer._tag === "Made" ? answer.clip : [answer.code, answer.message]) }
    ),
  migrated: (requestId: number, bytes: Uint8Array): Uint8Array =>
    frameOf(FromRoom.migrated, { u32: requestId }, { rest: bytes }),
  migrateFailed: (requestId: number, message: string, stack: string): Uint8Array =>
    frameOf(FromRoom.migrateFailed, { u32: requestId }, text(message), text(stack))
}

/** Receives the reports of a room process: parsed and within bounds, but not to be believed. */
export interface ReportSink {
  booted(): void
  described(json: string): void
  failed(why: string, stack: string): void
  ready(): void
  joined(ref: number, welcome: Welcome): void
  refused(ref: number, refusal: { readonly code: string; readonly message: string }): void
  /** The frame is a view that holds until the call returns. */
  deliver(refs: ReadonlyArray<number> | "all", frame: Uint8Array): void
  kick(ref: number, close: { readonly code: number; readonly reason: string }): void
  changed(): void
  /** `generation`: the snapshot is to be kept as a save generation too. */
  saveRequested(saveId: number, generation: boolean): void
  snapshot(requestId: number, bytes: Uint8Array): void
  snapshotTooLarge(requestId: number, bytes: number): void
  alarms(alarms: ReadonlyArray<AlarmAt>): void
  lobby(change: LobbyChange): void
  log(level: LogLevel, line: string): void
  player(playerId: string, bytes: Uint8Array): void
  /** `overruns` are those since the start of the room; `null` = its code is too old to count them. */
  pong(number: number, overruns: number | null): void
  weighed(number: number, liveBytes: number): void
  /** An in-room call. */
  called(callId: number, request: RoomCallRequest): void
  callFailed(failure: CallFailure): void
  /** The voice groups of these clients. */
  voice(changes: ReadonlyArray<VoiceChange>): void
  /** The bytes are a copy; empty = the chunk is gone. */
  chunk(requestId: number, bytes: Uint8Array): void
  chunkReady(chunk: AnnouncedChunk): void
  recordingLost(): void
  clipMade(requestId: number, answer: ClipAnswer): void
  migrated(requestId: number, bytes: Uint8Array): void
  migrateFailed(requestId: number, message: string, stack: string): void
}

/**
 * Reads one frame of a room process. Errors: {@link HostFrameError}; then nothing reached the sink,
 * and the process that sent it must be ended.
 */
export const readReport = (kind: number, payload: Uint8Array, sink: ReportSink): void => {
  const read = readers[kind]
  if (read === undefined) throw new HostFrameError(`the frame kind ${kind} is unknown`)
  const reader = new PayloadReader(payload)
  const report = read(reader)
  reader.end()
  report(sink)
}

type Report = (sink: ReportSink) => void

const readers: { readonly [kind: number]: (reader: PayloadReader) => Report } = {
  [FromRoom.booted]: () => (sink) => sink.booted(),
  [FromRoom.described]: (reader) => {
    const json = reader.text(DescribedBytesMax)
    return (sink) => sink.described(json)
  },
  [FromRoom.failed]: (reader) => {
    const why = reader.text(ReportBounds.lineBytes)
    const stack = reader.text(ReportBounds.lineBytes)
    return (sink) => sink.failed(why, stack)
  },
  [FromRoom.ready]: () => (sink) => sink.ready(),
  [FromRoom.joined]: (reader) => {
    const ref = reader.u32()
    const resumed = reader.flag()
    const tick = reader.u32()
    const sessionId = reader.text(SessionIdBytesMax)
    const state = own(reader.rest(RuntimeLimits.snapshotBytes.max))
    return (sink) => sink.joined(ref, { sessionId, resumed, tick, state })
  },
  [FromRoom.refused]: (reader) => {
    const ref = reader.u32()
    const code = reader.text(ReportBounds.codeBytes)
    const message = reader.text(ReportBounds.messageBytes)
    if (!CodePattern.test(code)) throw new HostFrameError("a refusal's code is malformed")
    return (sink) => sink.refused(ref, { code, message })
  },
  [FromRoom.deliver]: (reader) => {
    const refs = reader.refs()
    // No copy: the next step puts the frame into another one before it sends it, and this path is hot.
    const frame = reader.rest(RuntimeLimits.roomFrameBytes.max)
    if (frame.length === 0) throw new HostFrameError("a client frame is empty")
    return (sink) => sink.deliver(refs, frame)
  },
  [FromRoom.kick]: (reader) => {
    const ref = reader.u32()
    const code = reader.u16()
    const reason = reader.text(ReportBounds.reasonBytes)
    if (!mayClose(code)) throw new HostFrameError(`the close code ${code} is not for rooms`)
    return (sink) => sink.kick(ref, { code, reason })
  },
  [FromRoom.changed]: () => (sink) => sink.changed(),
  [FromRoom.saveRequested]: (reader) => {
    const saveId = reader.u32()
    const generation = reader.flag()
    return (sink) => sink.saveRequested(saveId, generation)
  },
  [FromRoom.snapshot]: (reader) => {
    const requestId = reader.u32()
    const bytes = own(reader.rest(RuntimeLimits.snapshotBytes.max))
    return (sink) => sink.snapshot(requestId, bytes)
  },
  [FromRoom.snapshotTooLarge]: (reader) => {
    const requestId = reader.u32()
    const bytes = reader.f64()
    return (sink) => sink.snapshotTooLarge(requestId, bytes)
  },
  [FromRoom.alarms]: (reader) => {
    const alarms = alarmsOf(reader)
    return (sink) => sink.alarms(alarms)
  },
  [FromRoom.lobby]: (reader) => {
    const change = {
      ...lobbyPart("isPublic", reader.u8()),
      ...lobbyPart("started", reader.u8()),
      ...(reader.hasMore ? { metadata: metadataOf(reader) } : {})
    }
    return (sink) => sink.lobby(change)
  },
  [FromRoom.log]: (reader) => {
    const level = LogLevels[reader.u8()]
    const line = reader.text(ReportBounds.lineBytes)
    if (level === undefined) throw new HostFrameError("a log level is unknown")
    return (sink) => sink.log(level, line)
  },
  [FromRoom.player]: (reader) => {
    const playerId = reader.text(FrameLimits.playerIdBytes.max)
    const bytes = own(reader.rest(SchemaLimits.playerFieldsBytes.max))
    return (sink) => sink.player(playerId, bytes)
  },
  [FromRoom.pong]: (reader) => {
    const number = reader.u32()
    const overruns = reader.hasMore ? reader.u32() : null
    return (sink) => sink.pong(number, overruns)
  },
  [FromRoom.weighed]: (reader) => {
    const number = reader.u32()
    const liveBytes = reader.f64()
    return (sink) => sink.weighed(number, liveBytes)
  },
  [FromRoom.called]: (reader) => {
    const callId = reader.u32()
    const name = reader.text(RuntimeLimits.roomCallNameBytes.max)
    const payload = own(reader.rest(RuntimeLimits.roomCallBytes.max))
    return (sink) => sink.called(callId, { name, payload })
  },
  [FromRoom.callFailed]: (reader) => {
    const ref = reader.u32()
    const callId = reader.u32()
    const message = reader.text(ReportBounds.messageBytes)
    const stack = reader.text(ReportBounds.lineBytes)
    return (sink) => sink.callFailed({ ref, callId, message, stack })
  },
  [FromRoom.voice]: (reader) => {
    const changes = readVoiceChanges(reader.text(RuntimeLimits.voiceChangesBytes.max))
    if (changes === null) throw new HostFrameError("voice groups are malformed")
    return (sink) => sink.voice(changes)
  },
  [FromRoom.chunk]: (reader) => {
    const requestId = reader.u32()
    const bytes = own(reader.rest(ReplayLimits.replayChunkBytes.max))
    return (sink) => sink.chunk(requestId, bytes)
  },
  [FromRoom.chunkReady]: (reader) => {
    const number = reader.u32()
    const last = reader.flag()
    return (sink) => sink.chunkReady({ number, last })
  },
  [FromRoom.recordingLost]: () => (sink) => sink.recordingLost(),
  [FromRoom.clipMade]: (reader) => {
    const requestId = reader.u32()
    const answer = clipAnswerIn(reader)
    return (sink) => sink.clipMade(requestId, answer)
  },
  [FromRoom.migrated]: (reader) => {
    const requestId = reader.u32()
    const bytes = own(reader.rest(RuntimeLimits.snapshotBytes.max))
    return (sink) => sink.migrated(requestId, bytes)
  },
  [FromRoom.migrateFailed]: (reader) => {
    const requestId = reader.u32()
    const message = reader.text(ReportBounds.lineBytes)
    const stack = reader.text(ReportBounds.lineBytes)
    return (sink) => sink.migrateFailed(requestId, message, stack)
  }
}

const DescribedBytesMax = 2 * BundleLimits.descriptorBytes.max
const SessionIdBytesMax = 128

/** Close codes that room code may choose: a normal end, and the range that RFC 6455 leaves to applications. */
export const mayClose = (code: number): boolean => code === 1000 || (code >= 3000 && code <= 4999)

// A view of a read buffer would keep all of it alive while one slow client waits for its frame.
const own = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

const lobbyPart = (name: "isPublic" | "started", value: number): LobbyChange => {
  if (value > 2) throw new HostFrameError("a lobby flag is unknown")
  return value === 2 ? {} : { [name]: value === 1 }
}

const metadataOf = (reader: PayloadReader): string | null => {
  const json = reader.text(RuntimeLimits.lobbyMetadataBytes.max)
  try {
    return JSON.parse(json) === null ? null : json
  } catch {
    throw new HostFrameError("the lobby's metadata is no JSON")
  }
}

/** Stands for the period of an alarm that goes off once. */
const Once = 0

/** The period of each alarm; nothing where none repeats. */
const periodsOf = (alarms: ReadonlyArray<AlarmAt>) =>
  alarms.some(({ everyMs }) => everyMs !== undefined)
    ? alarms.map(({ everyMs = Once }) => ({ f64: everyMs }))
    : []

const alarmsOf = (reader: PayloadReader): ReadonlyArray<AlarmAt> => {
  const count = reader.u16()
  if (count > RuntimeLimits.alarms.max) throw new HostFrameError(`${count} alarms are too many`)
  const alarms: AlarmAt[] = []
  for (let index = 0; index < count; index++) {
    const atMs = reader.f64()
    const name = reader.text(RuntimeLimits.alarmNameBytes.max)
    if (!Number.isFinite(atMs)) throw new HostFrameError("an alarm's time is not a number")
    alarms.push({ name, atMs })
  }
  // Code that was bundled with an older SDK ends here.
  return reader.hasMore ? alarms.map((alarm) => repeating(alarm, reader.f64())) : alarms
}

const repeating = (alarm: AlarmAt, everyMs: number): AlarmAt => {
  if (everyMs === Once) return alarm
  if (!(everyMs >= RuntimeLimits.alarmEvery.ms && everyMs < Infinity))
    throw new HostFrameError("an alarm's period is out of range")
  return { ...alarm, everyMs }
}
