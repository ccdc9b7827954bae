import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { type RoomFrame, readRoomFrame } from "@atrium/runtime/room/ClientFrames"
import { unpackRecord } from "@atrium/wire/codec"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { type Plain } from "@atrium/wire/msgpack/MsgpackReader"
import type { FieldList } from "@atrium/wire/schema/RoomSchema"

import { fuzzed } from "./rooms/fuzzedSchema.ts"
import { arrayOf } from "./Wire.ts"

/** What docs/protocol.md says of a frame from a client that is in a room of the type `fuzzed`. */
export type FrameVerdict =
  | "pong"
  | "chat"
  | "chatTooLong"
  /** A frame that is not of the protocol: 1003. */
  | "badFrame"
  | "tooLarge"
  /** Dropped by the room, told with E_BAD_MESSAGE. */
  | "badMessage"
  | "message"
  /** Exactly one answer comes, now or later. */
  | "answered"
  /** The room may end the session by it. */
  | "mayLeave"
  | "nothing"

export const verdictOf = (bytes: Uint8Array): FrameVerdict => {
  if (bytes.length > FrameLimits.frameBytes.max) return "tooLarge"
  if (((bytes[0] ?? 0) & 0xf0) !== 0x90) return "badFrame"
  switch (bytes[1]) {
    case ClientFrame.msg:
    case ClientFrame.rpc:
    case ClientFrame.rpcResult:
    case ClientFrame.write:
    case ClientFrame.own:
    case ClientFrame.ownAnswer:
    case ClientFrame.send:
      return inRoom(bytes)
    case ClientFrame.chat:
      return chat(bytes)
    case ClientFrame.ping:
      return "pong"
    case undefined:
    default:
      return "badFrame"
  }
}

const chat = (bytes: Uint8Array): FrameVerdict => {
  const text = arrayOf(bytes)?.[1]
  if (typeof text !== "string") return "badFrame"
  return Buffer.byteLength(text) > ConnectionLimits.chatBytes.max ? "chatTooLong" : "chat"
}

const inRoom = (bytes: Uint8Array): FrameVerdict => {
  let frame: RoomFrame
  try {
    frame = readRoomFrame(bytes)
  } catch {
    return "badMessage"
  }
  if (frame._tag === "relay") return "badMessage"
  if (frame._tag === "rpcResult") return "nothing"
  if (frame._tag === "rpc") {
    return fuzzed.rpc.client.list[frame.index]?.name === "leave" ? "mayLeave" : "answered"
  }
  const shape = fuzzed.messages.list[frame.index]
  return shape !== undefined && fits(shape.fields, frame.payload) ? "message" : "badMessage"
}

const fits = (fields: FieldList | null, payload: Plain): boolean => {
  if (fields === null) return true
  if (!(payload instanceof Uint8Array)) return payload === null && fields.length === 0
  try {
    unpackRecord(fields, payload)
    return true
  } catch {
    return false
  }
}
