import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import type { Plain } from "@atrium/wire/msgpack/MsgpackReader"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import type { RpcShape } from "@atrium/wire/schema/RoomSchema"

import { RoomFrames } from "./ClientFrames.ts"
import { deliverTo } from "./Delivery.ts"
import { messageOf } from "./ErrorText.ts"
import { packPayload, unpackPayload } from "./Payloads.ts"
import type { RoomCore } from "./RoomCore.ts"
import { RpcError } from "./RpcError.ts"
import type { Session } from "./Session.ts"

interface Waiting {
  readonly shape: RpcShape
  readonly cancelTimer: () => void
  resolve(value: unknown): void
  reject(error: RpcError): void
}

/** One call of `room.request`. */
export interface RequestCall {
  readonly session: Session
  readonly shape: RpcShape
  readonly args: unknown
  readonly timeoutMs: number
}

/** RPCs that the room has sent to clients and that wait for their answer. */
export class Requests {
  readonly #core: RoomCore
  readonly #waiting = new Map<Session, Map<number, Waiting>>()
  #lastId = 0

  constructor(core: RoomCore) {
    this.#core = core
  }

  /** Errors: `FieldError` for the arguments; `RpcError` for all that the client did or did not do. */
  async call({ session, shape, args, timeoutMs }: RequestCall): Promise<unknown> {
    const packed = packPayload(shape.args, args, `rpc.${shape.name}.args`)
    if (session.ref === null) throw gone()
    const waiting = this.#waiting.get(session) ?? new Map<number, Waiting>()
    if (waiting.size >= ClientLimits.rpcsWaiting.max) {
      throw new RpcError(
        RoomRefusals.rpcBusy.code,
        `${waiting.size} RPCs wait for this client already`
      )
    }
    this.#lastId = this.#lastId === 0xffff_ffff ? 1 : this.#lastId + 1
    const id = this.#lastId
    const frame = RoomFrames.rpc({ id, index: shape.index }, packed)
    this.#waiting.set(session, waiting)
    return new Promise((resolve, reject) => {
      const cancelTimer = this.#core.port.setTimer(timeoutMs, () => {
        this.#take(session, id)?.reject(
          new RpcError(
            RoomRefusals.rpcTimeout.code,
            `${shape.name}: no answer within ${timeoutMs} ms`
          )
        )
      })
      waiting.set(id, { shape, cancelTimer, resolve, reject })
      deliverTo(this.#core, session, frame)
    })
  }

  /** A client's answer. One that nothing waits for is ignored: it came too late. */
  answered(session: Session, answer: { id: number; ok: boolean; value: Plain }): void {
    const waiting = this.#take(session, answer.id)
    if (waiting === undefined) return
    if (!answer.ok) return waiting.reject(refusalOf(answer.value))
    try {
      waiting.resolve(unpackPayload(waiting.shape.returns, answer.value))
    } catch (error) {
      const text = `rpc.${waiting.shape.name}: ${messageOf(error)}`
      waiting.reject(new RpcError(RoomRefusals.rpcFailed.code, text))
      deliverTo(this.#core, session, RoomFrames.error(RoomRefusals.badMessage.code, text, null))
    }
  }

  /** The connection is gone, and with it every answer. */
  lost(session: Session): void {
    const waiting = this.#waiting.get(session)
    this.#waiting.delete(session)
    for (const { cancelTimer, reject } of waiting?.values() ?? []) {
      cancelTimer()
      reject(gone())
    }
  }

  #take(session: Session, id: number): Waiting | undefined {
    const waiting = this.#waiting.get(session)
    const call = waiting?.get(id)
    if (waiting === undefined || call === undefined) return undefined
    waiting.delete(id)
    if (waiting.size === 0) this.#waiting.delete(session)
    call.cancelTimer()
    return call
  }
}

const gone = (): RpcError =>
  new RpcError(RoomRefusals.clientGone.code, "the client is not connected")

const CodePattern = /^E_[A-Z0-9_]{1,62}$/

const refusalOf = (value: Plain): RpcError => {
  const [code, message]: ReadonlyArray<Plain> = Array.isArray(value) ? value : []
  if (typeof code === "string" && CodePattern.test(code)) {
    return new RpcError(code, typeof message === "string" ? message : "")
  }
  return new RpcError(RoomRefusals.rpcFailed.code, "the client could not answer")
}
