import { packRecord, unpackRecord } from "@atrium/wire/codec/RecordCodec"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import type { AnyRoomSchema, FieldList } from "@atrium/wire/schema/RoomSchema"

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

/** Rewrites a frame packed by one schema for another; `null` when that has no such name. */
export const translateFrame = (
  frame: Uint8Array<ArrayBuffer>,
  from: AnyRoomSchema,
  to: AnyRoomSchema
): Uint8Array<ArrayBuffer> | null => {
  const [type, ...fields] = decodeArray(frame)
  if (type === ClientFrame.msg) {
    const [index, payload] = fields
    const shape = from.messages.list[Number(index)]
    const next = shape === undefined ? undefined : to.messages.byName.get(shape.name)
    if (shape === undefined || next === undefined) return null
    const value = unpackPayload(shape.fields, payload ?? null)
    return encodeFrame([type, next.index, packPayload(next.fields, value, next.name)])
  }
  if (type === ClientFrame.rpc) {
    const [id, index, args] = fields
    const shape = from.rpc.client.list[Number(index)]
    const next = shape === undefined ? undefined : to.rpc.client.byName.get(shape.name)
    if (shape === undefined || next === undefined) return null
    const value = unpackPayload(shape.args, args ?? null)
    return encodeFrame([type, id, next.index, packPayload(next.args, value, next.name)])
  }
  return frame
}
