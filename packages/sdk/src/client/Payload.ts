import { declaredPart } from "@atrium/wire/codec/DeclaredPart"
import { packRecord, unpackRecord } from "@atrium/wire/codec/RecordCodec"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import type {
  AnyRoomSchema,
  FieldList,
  MessageShape,
  RpcShape,
  Shapes
} from "@atrium/wire/schema/RoomSchema"

import { SendError } from "./ClientErrors.ts"
import { decodeArray, encodeFrame, WireError } from "./ClientWire.ts"

/** Packs a payload by its shape. Throws `FieldError` naming `path.field`. */
export const packPayload = (fields: FieldList | null, value: unknown, path: string): unknown =>
  fields === null ? value : packRecord(fields, value ?? {}, path)

/** Reads a payload by its shape. Throws `CodecError` or `WireError`. */
export const unpackPayload = (fields: FieldList | null, payload: unknown): unknown => {
  if (fields === null) return payload
  if (payload instanceof Uint8Array) return unpackRecord(fields, payload)
  // A shape without fields may be left out of the frame.
  if (payload === null && fields.length === 0) return {}
  throw new WireError("a payload with a declared shape is not binary")
}

/**
 * Rewrites a frame packed by one schema of a room for another. Fields that the other one does not have
 * are left out: what the client itself declares is in both.
 *
 * Errors: `SendError` when it has no such name, `FieldError` for a value that does not fit.
 */
export const translateFrame = (
  frame: Uint8Array<ArrayBuffer>,
  from: AnyRoomSchema,
  to: AnyRoomSchema
): Uint8Array<ArrayBuffer> => {
  const parts = [...decodeArray(frame)]
  const call = parts[0] === ClientFrame.rpc
  if (!call && parts[0] !== ClientFrame.msg) return frame
  const place = call ? 2 : 1
  const shapes = ({ messages, rpc }: AnyRoomSchema): Shapes<MessageShape | RpcShape> =>
    call ? rpc.client : messages
  const was = shapes(from).list[Number(parts[place])]
  const is = was && shapes(to).byName.get(was.name)
  if (was === undefined || is === undefined) {
    throw new SendError("E_UNKNOWN_NAME", "a queued message is not known to the room any more")
  }
  const value = unpackPayload(fieldsOf(was), parts[place + 1] ?? null)
  const fields = fieldsOf(is)
  parts[place] = is.index
  parts[place + 1] = packPayload(fields, fields === null ? value : pick(fields, value), is.name)
  return encodeFrame(parts)
}

const fieldsOf = (shape: MessageShape | RpcShape): FieldList | null =>
  "args" in shape ? shape.args : shape.fields

const pick = (fields: FieldList, value: unknown): object =>
  Object.fromEntries(
    fields.map(({ name, field }) => [name, declaredPart(field, Reflect.get(Object(value), name))])
  )
