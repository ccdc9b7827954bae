import type { CallAnswer } from "@atrium/runtime/host/HostOrders"
import type { RoomCallRequest } from "@atrium/runtime/host/RoomReports"
import { RpcError } from "@atrium/runtime/room/RpcError"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"

/** An in-room call as the harness answers it. The types of room code guard the form of its payload. */
export interface HarnessCall {
  /** Throws `RpcError` with what the service would refuse. */
  answer(payload: unknown): unknown
}

/** Answers a call of room code from memory. @param calls by name, such as `ratings.report` */
export const answerFrom = (
  calls: Readonly<Record<string, HarnessCall>>,
  { name, payload }: RoomCallRequest
): CallAnswer => {
  const call = calls[name]
  if (call === undefined) {
    const message = `${name}: the harness has no such in-room call`
    return { _tag: "Refused", code: RoomRefusals.callUnknown.code, message }
  }
  try {
    return { _tag: "Answered", value: packValue(call.answer(unpackValue(payload))) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { _tag: "Refused", code: error.code, message: error.message }
  }
}

/** Refuses a payload as the service does. @param fault what is wrong with it; `null` = nothing */
export const refuseFor = (fault: string | null): void => {
  if (fault !== null) throw new RpcError(RoomRefusals.callInvalid.code, fault)
}
