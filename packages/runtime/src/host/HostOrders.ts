import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import type { NamedFieldDescriptor, SchemaDescriptor } from "@atrium/wire/schema/Descriptor"

import type { MatchPlace } from "../room/RoomClient.ts"
import { dataFrame, frameOf, LoadMode, PayloadReader, text, ToRoom } from "./HostFrames.ts"
import type { AlarmAt } from "./RoomReports.ts"

/** All that a room needs to begin. Times are Unix milliseconds of the service's clock. */
export interface StartOrder {
  readonly projectId: string
  readonly roomId: string
  readonly type: string
  readonly version: number
  readonly epoch: number
  /** Seeds `room.random` of a room without a snapshot. */
  readonly seed: string
  readonly nowMs: number
  /** The clock goes on from `nowMs`; else it stands there until it is moved. */
  readonly clockRuns: boolean
  /** `schema` is the descriptor that the snapshot was written with; `null` = that of the code. */
  readonly snapshot: { readonly bytes: Uint8Array; readonly schema: SchemaDescriptor | null } | null
  readonly alarms: ReadonlyArray<AlarmAt>
  readonly lobby: { readonly isPublic: boolean; readonly started: boolean }
  /**
   * What the registry shows of the room, as JSON; `null` = nothing. Absent = an older service, which cannot
   * read metadata.
   */
  readonly lobbyMetadata?: string | null
  /** The service reads the ticks that overran in a pong. Absent = an older service, which would refuse them. */
  readonly readsOverruns?: boolean
  /** The service keeps the periods of alarms that repeat. Absent = an older service, which would refuse them. */
  readonly keepsPeriods?: boolean
  /** The service reads who hears whom. Absent = an older service, which would refuse it. */
  readonly takesVoice?: boolean
  /** The service stores clips. Absent = an older service: then nothing is recorded. */
  readonly keepsReplays?: boolean
  /** The recording that goes on from the process before. Absent = none. */
  readonly recording?: string | null
}

/** A client that wants into the room. `ref` stands for its connection from here on. */
export interface JoinOrder {
  readonly ref: number
  /** The session's id if this becomes a fresh join. */
  readonly sessionId: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  /** The place that a match gave the player. Absent = the client has no ticket of a match. */
  readonly match?: MatchPlace
  /** Seats that the room keeps for players of matches who are on their way. Absent = none. */
  readonly seatsKept?: number
  readonly options: unknown
  /** SHA-256 in hex of the token that the client wants to resume with. */
  readonly resumeHash: string | null
  /** The same of the token that its welcome will carry. */
  readonly nextResumeHash: string
  /** Stored persisted fields. */
  readonly player: Uint8Array | null
  /** The session that the connection had before the room process was restarted. */
  readonly attachedAs: string | null
}

/** A change by code; `back` = against the direction in which its migration leads. */
export type HopOrder =
  | {
      readonly _tag: "Room"
      readonly type: string
      readonly from: HashedSchema
      readonly to: HashedSchema
      readonly back: boolean
    }
  | {
      readonly _tag: "Players"
      readonly from: HashedFields
      readonly to: HashedFields
      readonly back: boolean
    }

interface HashedSchema {
  readonly hash: string
  readonly schema: SchemaDescriptor
}

interface HashedFields {
  readonly hash: string
  readonly fields: ReadonlyArray<NamedFieldDescriptor>
}

/** Something stored that migrations of the bundle are to lead on. */
export interface MigrateOrder {
  readonly requestId: number
  /** The schema that a room's snapshot was written with; `null` = these are the fields of a player. */
  readonly stored: SchemaDescriptor | null
  readonly hops: ReadonlyArray<HopOrder>
  readonly bytes: Uint8Array
}

/** The service's answer to an in-room call. */
export type CallAnswer =
  /** `value` is msgpack. */
  | { readonly _tag: "Answered"; readonly value: Uint8Array }
  | { readonly _tag: "Refused"; readonly code: string; readonly message: string }

/** A chunk that the service wants to have. */
export interface ChunkWanted {
  readonly number: number
  /** It is for the recording, and not for a clip. */
  readonly recording: boolean
}

/** How much of a room's footage a clip takes, and how long it is kept; absent = what its type declares. */
export interface ClipOptions {
  readonly seconds?: number
  readonly ttl?: string
}

/** Encoders of the frames to a room process; `load` is {@link loadFrame}. */
export const Orders = {
  start: ({ snapshot, ...header }: StartOrder): Uint8Array =>
    frameOf(
      ToRoom.start,
      text(JSON.stringify({ ...header, schema: snapshot?.schema ?? null })),
      { u8: snapshot === null ? 0 : 1 },
      { rest: snapshot?.bytes ?? new Uint8Array(0) }
    ),
  join: ({ ref, player, options, ...header }: JoinOrder): Uint8Array =>
    frameOf(
      ToRoom.join,
      { u32: ref },
      text(JSON.stringify(header)),
      { u8: player === null ? 0 : 1 },
      { text: player ?? new Uint8Array(0) },
      { rest: packValue(options) }
    ),
  data: dataFrame,
  drop: (ref: number): Uint8Array => frameOf(ToRoom.drop, { u32: ref }),
  leave: (ref: number): Uint8Array => frameOf(ToRoom.leave, { u32: ref }),
  takeSnapshot: (requestId: number, final: boolean): Uint8Array =>
    frameOf(ToRoom.takeSnapshot, { u32: requestId }, { u8: final ? 1 : 0 }),
  /** The state for somebody who looks; a bundle of 0.1.0 takes it as the order for a snapshot. */
  peek: (requestId: number): Uint8Array =>
    frameOf(ToRoom.takeSnapshot, { u32: requestId }, { u8: 0 }, { u8: 1 }),
  /** @param wall why no save generation was added: the message of the refusal; bundles of 0.1.0 do not read it */
  saved: (saveId: number, stored: boolean, wall = ""): Uint8Array =>
    frameOf(
      ToRoom.saved,
      { u32: saveId },
      { u8: stored ? 1 : 0 },
      ...(wall === "" ? [] : [text(wall)])
    ),
  clock: (nowMs: number, runs: boolean): Uint8Array =>
    frameOf(ToRoom.clock, { f64: nowMs }, { u8: runs ? 1 : 0 }),
  ping: (number: number): Uint8Array => frameOf(ToRoom.ping, { u32: number }),
  weigh: (number: number): Uint8Array => frameOf(ToRoom.weigh, { u32: number }),
  callAnswered: (callId: number, answer: CallAnswer): Uint8Array =>
    frameOf(
      ToRoom.callAnswered,
      { u32: callId },
      { u8: answer._tag === "Answered" ? 1 : 0 },
      { rest: answer._tag === "Answered" ? answer.value : packValue([answer.code, answer.message]) }
    ),
  takeChunk: (requestId: number, { number, recording }: ChunkWanted): Uint8Array =>
    frameOf(ToRoom.takeChunk, { u32: requestId }, { u32: number }, { u8: recording ? 1 : 0 }),
  makeClip: (requestId: number, options: ClipOptions): Uint8Array =>
    frameOf(ToRoom.makeClip, { u32: requestId }, text(JSON.stringify(options))),
  recordingEnded: (replayId: string, why: string): Uint8Array =>
    frameOf(ToRoom.recordingEnded, text(replayId), text(why)),
  ringBytes: (bytes: number): Uint8Array => frameOf(ToRoom.ringBytes, { u32: bytes }),
  /** Bundles without migrations do not read it. */
  migrate: ({ requestId, bytes, ...header }: MigrateOrder): Uint8Array =>
    frameOf(ToRoom.migrate, { u32: requestId }, text(JSON.stringify(header)), { rest: bytes })
}

/** The first frame of a room process: its code, and what to do with it. */
export const loadFrame = (mode: number, code: Uint8Array): Uint8Array =>
  frameOf(ToRoom.load, { u8: mode }, { rest: code })

/** A `load` with the code cache of another process: the payload of `compiled`. */
export const cachedLoadFrame = (compiled: Uint8Array, code: Uint8Array): Uint8Array =>
  frameOf(ToRoom.load, { u8: LoadMode.cached }, { text: compiled }, { rest: code })

/** The orders of a shared process. */
export const SharedOrders = {
  room: (number: number): Uint8Array => frameOf(ToRoom.room, { u32: number }),
  open: (): Uint8Array => frameOf(ToRoom.open),
  close: (): Uint8Array => frameOf(ToRoom.close)
}

/** Receives the service's orders. */
export interface OrderSink {
  start(order: StartOrder): void
  join(order: JoinOrder): void
  data(ref: number, frame: Uint8Array): void
  drop(ref: number): void
  leave(ref: number): void
  /** `peek`: somebody looks, and nothing else is done. */
  takeSnapshot(requestId: number, final: boolean, peek?: boolean): void
  saved(saveId: number, stored: boolean, wall?: string): void
  /** The service's clock shows this now, and goes on from there or stands. */
  clock(nowMs: number, runs: boolean): void
  ping(number: number): void
  weigh(number: number): void
  callAnswered(callId: number, answer: CallAnswer): void
  takeChunk(requestId: number, wanted: ChunkWanted): void
  makeClip(requestId: number, options: ClipOptions): void
  recordingEnded(replayId: string, why: string): void
  ringBytes(bytes: number): void
  migrate(order: MigrateOrder): void
}

/** Reads one frame of the service. Errors: `HostFrameError`, `SyntaxError`: the versions differ. */
export const readOrder = (kind: number, payload: Uint8Array, sink: OrderSink): void => {
  const reader = new PayloadReader(payload)
  switch (kind) {
    case ToRoom.start:
      return sink.start(startOf(reader))
    case ToRoom.join:
      return sink.join(joinOf(reader))
    case ToRoom.data:
      return sink.data(reader.u32(), reader.rest(RuntimeLimits.roomFrameBytes.max))
    case ToRoom.drop:
      return sink.drop(reader.u32())
    case ToRoom.leave:
      return sink.leave(reader.u32())
    case ToRoom.takeSnapshot:
      return sink.takeSnapshot(reader.u32(), reader.flag(), reader.hasMore && reader.flag())
    case ToRoom.saved:
      return savedOf(reader, sink)
    case ToRoom.clock:
      return sink.clock(reader.f64(), reader.flag())
    case ToRoom.ping:
      return sink.ping(reader.u32())
    case ToRoom.weigh:
      return sink.weigh(reader.u32())
    case ToRoom.callAnswered:
      return sink.callAnswered(reader.u32(), callAnswerOf(reader))
    case ToRoom.takeChunk:
      return sink.takeChunk(reader.u32(), { number: reader.u32(), recording: reader.flag() })
    case ToRoom.makeClip:
      // Written by `Orders` of the same version.
      return sink.makeClip(reader.u32(), JSON.parse(reader.text(RuntimeLimits.roomFrameBytes.max)))
    case ToRoom.recordingEnded:
      return sink.recordingEnded(
        reader.text(RuntimeLimits.roomFrameBytes.max),
        reader.text(RuntimeLimits.roomFrameBytes.max)
      )
    case ToRoom.ringBytes:
      return sink.ringBytes(reader.u32())
    case ToRoom.migrate:
      return sink.migrate(migrateOf(reader))
    default:
      throw new Error(`the service sent a frame of the unknown kind ${kind}`)
  }
}

type StartHeader = Omit<StartOrder, "snapshot"> & { readonly schema: SchemaDescriptor | null }
type JoinHeader = Omit<JoinOrder, "ref" | "player" | "options">

const startOf = (reader: PayloadReader): StartOrder => {
  // Written by `Orders` of the same version: the service is trusted by its rooms.
  const { schema, ...header }: StartHeader = JSON.parse(
    reader.text(RuntimeLimits.roomFrameBytes.max)
  )
  const has = reader.flag()
  const bytes = reader.rest(RuntimeLimits.roomFrameBytes.max)
  // A copy: what it points into is a read buffer that is used again.
  const snapshot = has ? { bytes: bytes.slice(), schema } : null
  return { ...header, snapshot }
}

/** A service of 0.1.0 says nothing of a wall. */
const savedOf = (reader: PayloadReader, sink: OrderSink): void => {
  const saveId = reader.u32()
  const stored = reader.flag()
  if (!reader.hasMore) return sink.saved(saveId, stored)
  sink.saved(saveId, stored, reader.text(RuntimeLimits.roomFrameBytes.max))
}

const callAnswerOf = (reader: PayloadReader): CallAnswer => {
  const answered = reader.flag()
  const rest = reader.rest(RuntimeLimits.roomFrameBytes.max)
  // A copy: what it points into is a read buffer that is used again.
  if (answered) return { _tag: "Answered", value: rest.slice() }
  // Written by `Orders` of the same version.
  const [code, message] = unpackValue(rest) as readonly [string, string]
  return { _tag: "Refused", code, message }
}

const migrateOf = (reader: PayloadReader): MigrateOrder => {
  const requestId = reader.u32()
  // Written by `Orders` of the same version: the service is trusted by its rooms.
  const header: Omit<MigrateOrder, "requestId" | "bytes"> = JSON.parse(
    reader.text(RuntimeLimits.roomFrameBytes.max)
  )
  // A copy: what it points into is a read buffer that is used again.
  return { ...header, requestId, bytes: reader.rest(RuntimeLimits.roomFrameBytes.max).slice() }
}

const joinOf = (reader: PayloadReader): JoinOrder => {
  const ref = reader.u32()
  const header: JoinHeader = JSON.parse(reader.text(RuntimeLimits.roomFrameBytes.max))
  const has = reader.flag()
  const player = reader.bytes(RuntimeLimits.roomFrameBytes.max)
  const options = unpackValue(reader.rest(RuntimeLimits.roomFrameBytes.max))
  return { ref, ...header, player: has ? player : null, options }
}
