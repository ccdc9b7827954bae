import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { MsgpackError, MsgpackReader, type Plain } from "@atrium/wire/msgpack/MsgpackReader"
import { MsgpackWriter } from "@atrium/wire/msgpack/MsgpackWriter"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"

/** A client's frame that reaches the room; the router answers the others. */
export type RoomFrame =
  | { readonly _tag: "msg"; readonly index: number; readonly payload: Plain }
  | { readonly _tag: "rpc"; readonly id: number; readonly index: number; readonly args: Plain }
  | { readonly _tag: "rpcResult"; readonly id: number; readonly ok: boolean; readonly value: Plain }
  /** A frame that only a room without code takes; `re` = the id of a write, whose sender waits. */
  | { readonly _tag: "relay"; readonly re: number | null }

/** More fields than any frame has: a longer array is refused before it is read. */
const FieldsMax = 16

/** Errors: {@link MsgpackError}. */
export const readRoomFrame = (bytes: Uint8Array): RoomFrame => {
  const reader = new MsgpackReader(bytes)
  const length = reader.arrayLength()
  if (length < 1 || length > FieldsMax) throw new MsgpackError(`a frame of ${length} fields`)
  const fields: Plain[] = []
  for (let index = 0; index < length; index++) fields.push(reader.value(1))
  if (!reader.done) throw new MsgpackError("bytes are left over after a frame")
  switch (fields[0]) {
    case ClientFrame.msg:
      return { _tag: "msg", index: whole(fields, 1), payload: fields[2] ?? null }
    case ClientFrame.rpc:
      return {
        _tag: "rpc",
        id: whole(fields, 1),
        index: whole(fields, 2),
        args: fields[3] ?? null
      }
    case ClientFrame.rpcResult:
      return {
        _tag: "rpcResult",
        id: whole(fields, 1),
        ok: fields[2] === true,
        value: fields[3] ?? null
      }
    case ClientFrame.write:
      return { _tag: "relay", re: whole(fields, 1) }
    case ClientFrame.own:
    case ClientFrame.ownAnswer:
    case ClientFrame.send:
      return { _tag: "relay", re: null }
    default:
      throw new MsgpackError("a frame of a type that rooms do not take")
  }
}

const whole = (fields: ReadonlyArray<Plain>, at: number): number => {
  const value = fields[at]
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff) {
    return value
  }
  throw new MsgpackError(`field ${at} of a frame is not a u32`)
}

/** A payload as it goes into a frame: packed by the schema, or any plain value. */
export type Payload = { readonly packed: Uint8Array } | { readonly untyped: unknown }

const payload = (writer: MsgpackWriter, value: Payload): void => {
  if ("packed" in value) writer.binary(value.packed)
  else writer.value(value.untyped)
}

const shared = new MsgpackWriter()

/** The shared writer for one frame, which ends with `copy`: it outlives what is written next. */
const begin = (): MsgpackWriter => {
  shared.reset()
  return shared
}

/** Encoders of the frames that a room sends to clients. Errors: {@link MsgpackError} for untyped. */
export const RoomFrames = {
  patch: (tick: number, delta: Uint8Array): Uint8Array => {
    const writer = new MsgpackWriter(delta.length + 12)
    writer.array(3)
    writer.number(ServerFrame.patch)
    writer.number(tick)
    writer.binary(delta)
    return writer.finish()
  },
  msg: (index: number, value: Payload): Uint8Array => {
    const writer = begin()
    writer.array(3)
    writer.number(ServerFrame.msg)
    writer.number(index)
    payload(writer, value)
    return writer.copy()
  },
  rpcResult: (id: number, value: Payload): Uint8Array => {
    const writer = begin()
    writer.array(4)
    writer.number(ServerFrame.rpcResult)
    writer.number(id)
    writer.value(true)
    payload(writer, value)
    return writer.copy()
  },
  rpcRefusal: (id: number, { code, message }: { code: string; message: string }): Uint8Array => {
    const writer = begin()
    writer.array(4)
    writer.number(ServerFrame.rpcResult)
    writer.number(id)
    writer.value(false)
    // The text of an RpcError is the game's own: it is not cut.
    writer.value([code, message.toWellFormed()])
    return writer.copy()
  },
  rpc: (call: { readonly id: number; readonly index: number }, args: Payload): Uint8Array => {
    const writer = begin()
    writer.array(4)
    writer.number(ServerFrame.rpc)
    writer.number(call.id)
    writer.number(call.index)
    payload(writer, args)
    return writer.copy()
  },
  /** @param re what the error is about: the index of the message, or `null` */
  error: (code: string, message: string, re: number | null): Uint8Array => {
    const writer = begin()
    writer.array(4)
    writer.number(ServerFrame.error)
    writer.string(code)
    writer.string(serviceMessage(message))
    writer.value(re)
    return writer.copy()
  }
}
