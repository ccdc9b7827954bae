import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import type { CallAnswer } from "../host/HostOrders.ts"
import type { RoomCallRequest } from "../host/RoomReports.ts"
import { messageOf } from "./ErrorText.ts"
import { RpcError } from "./RpcError.ts"

/** Who waits for the answer of a call; one of them is called, at most once. */
interface CallWaiter {
  resolve(value: unknown): void
  reject(error: RpcError): void
}

const utf8 = new TextEncoder()

/**
 * In-room calls: what room code asks of the service. The service answers each of them once, and in
 * time; therefore no timer runs here. A room that makes no calls pays for an empty map.
 */
export class ServiceCalls {
  readonly #send: (callId: number, request: RoomCallRequest) => void
  readonly #waiting = new Map<number, CallWaiter>()
  #lastId = 0
  #ended = false

  /** @param send sends a call to the service, or keeps it until the room is ready */
  constructor(send: (callId: number, request: RoomCallRequest) => void) {
    this.#send = send
  }

  /**
   * @param name `<noun>.<call>`
   * @param payload any plain value; the service checks it
   * Errors: `RpcError` E_CALL_BUSY, E_CALL_RATE, E_CALL_INVALID, E_CALL_UNKNOWN, E_CALL_TIMEOUT,
   * E_CALL_FAILED, and what the call itself refuses with.
   */
  async call(name: string, payload: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => this.ask(name, payload, { resolve, reject }))
  }

  /** As {@link call}, without a promise. Throws when the name or the payload is past its bound. */
  ask(name: string, payload: unknown, waiter: CallWaiter): void {
    const request = { name, payload: packed(name, payload) }
    if (this.#ended) return waiter.reject(failed(name))
    if (this.#waiting.size >= RuntimeLimits.roomCallsWaiting.max) {
      return waiter.reject(busy(name, this.#waiting.size))
    }
    this.#lastId = this.#lastId === 0xffff_ffff ? 1 : this.#lastId + 1
    const id = this.#lastId
    this.#waiting.set(id, waiter)
    this.#send(id, request)
  }

  /** The service's answer. An answer to a call that does not wait is ignored. */
  answered(callId: number, answer: CallAnswer): void {
    const waiting = this.#waiting.get(callId)
    if (waiting === undefined) return
    this.#waiting.delete(callId)
    if (answer._tag === "Answered") waiting.resolve(unpackValue(answer.value))
    else waiting.reject(new RpcError(answer.code, answer.message))
  }

  /** The room's last state is taken: no code may go on from an answer, as nothing of it is stored. */
  end(): void {
    this.#ended = true
    this.#waiting.clear()
  }
}

const failed = (name: string): RpcError =>
  new RpcError(RoomRefusals.callFailed.code, `${name}: the room has ended`)

const busy = (name: string, waiting: number): RpcError =>
  new RpcError(RoomRefusals.callBusy.code, `${name}: ${waiting} calls wait already`)

const packed = (name: string, payload: unknown): Uint8Array => {
  const nameBytes = utf8.encode(name).length
  if (nameBytes > RuntimeLimits.roomCallNameBytes.max) {
    throw new RpcError(
      RoomRefusals.callUnknown.code,
      `a name of ${nameBytes} bytes is over ${RuntimeLimits.roomCallNameBytes.max}`
    )
  }
  const bytes = packedValue(name, payload)
  if (bytes.length > RuntimeLimits.roomCallBytes.max) {
    throw new RpcError(
      RoomRefusals.callInvalid.code,
      `${name}: a payload of ${bytes.length} bytes is over ${RuntimeLimits.roomCallBytes.max}`
    )
  }
  return bytes
}

const packedValue = (name: string, payload: unknown): Uint8Array => {
  try {
    return packValue(payload)
  } catch (error) {
    throw new RpcError(RoomRefusals.callInvalid.code, `${name}: ${messageOf(error)}`)
  }
}

const callsOfRoom = new WeakMap<object, ServiceCalls>()

/** Lets {@link callService} find the calls of a room by what its code holds. */
export const bindCalls = (room: object, calls: ServiceCalls): void => {
  callsOfRoom.set(room, calls)
}

/**
 * Asks the service by name, for parts of `room` that a noun adds (`room.boards`, `room.ratings`).
 * Games use those, and never this. Errors: as {@link ServiceCalls.call}.
 *
 * @param room as a handler got it
 */
export const callService = async (
  room: object,
  name: string,
  payload: unknown
): Promise<unknown> => {
  const calls = callsOfRoom.get(room)
  if (calls === undefined) throw new TypeError(`${name}: the first argument is not a room`)
  return calls.call(name, payload)
}
