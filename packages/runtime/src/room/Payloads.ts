import { packRecord, unpackRecord } from "@atrium/wire/codec/RecordCodec"
import { MsgpackError, type Plain } from "@atrium/wire/msgpack/MsgpackReader"
import type { FieldList } from "@atrium/wire/schema/RoomSchema"

import type { Payload } from "./ClientFrames.ts"

/**
 * Packs a message, arguments or an answer. `fields` is `null` for untyped ones.
 * Errors: `FieldError` naming `path.field`; an untyped value is judged when it is written.
 */
export const packPayload = (fields: FieldList | null, value: unknown, path: string): Payload =>
  fields === null ? { untyped: value } : { packed: packRecord(fields, value ?? {}, path) }

/** Unpacks what a client sent. Errors: `CodecError`, `MsgpackError`. */
export const unpackPayload = (fields: FieldList | null, value: Plain): unknown => {
  if (fields === null) return value
  if (value instanceof Uint8Array) return unpackRecord(fields, value)
  // A shape without fields may be left out of the frame.
  if (value === null && fields.length === 0) return {}
  throw new MsgpackError("the payload is not binary")
}
