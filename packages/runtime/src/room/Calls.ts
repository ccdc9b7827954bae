import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import type { MessageShape, RpcShape } from "@atrium/wire/schema/RoomSchema"
import { cutLogLine } from "@atrium/wire/text/LogLine"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"

import { Reports } from "../host/RoomReports.ts"
import { RoomFrames, type RoomFrame, readRoomFrame } from "./ClientFrames.ts"
import { deliverTo } from "./Delivery.ts"
import { isPromise, messageOf, stackOf } from "./ErrorText.ts"
import { packPayload, unpackPayload } from "./Payloads.ts"
import type { Requests } from "./Requests.ts"
import type { Room } from "./Room.ts"
import type { RoomCore } from "./RoomCore.ts"
import { RpcError } from "./RpcError.ts"
import type { Session } from "./Session.ts"

type RpcFrame = Extract<RoomFrame, { readonly _tag: "rpc" }>

interface Call {
  readonly session: Session
  readonly shape: RpcShape
  readonly id: number
  /** The connection that asked; ids of another one mean other calls. */
  readonly ref: number | null
}

/** What clients send: messages, RPCs, and answers to the room's own RPCs. Nothing of it is trusted. */
export class Calls {
  readonly #core: RoomCore
  readonly #room: Room
  readonly #requests: Requests
  readonly #unhandled = new Set<string>()

  constructor(core: RoomCore, room: Room, requests: Requests) {
    this.#core = core
    this.#room = room
    this.#requests = requests
  }

  frame(session: Session, bytes: Uint8Array): void {
    let frame: RoomFrame
    try {
      frame = readRoomFrame(bytes)
    } catch (error) {
      return this.#bad(session, messageOf(error), null)
    }
    if (frame._tag === "rpcResult") return this.#requests.answered(session, frame)
    if (frame._tag === "rpc") return this.#rpc(session, frame)
    if (frame._tag === "relay") {
      return this.#bad(session, "the room runs code: it takes no relay frames", frame.re)
    }
    const shape = this.#core.schema.messages.list[frame.index]
    if (shape === undefined) {
      return this.#bad(session, `message ${frame.index} is not of the schema`, frame.index)
    }
    let payload: unknown
    try {
      payload = unpackPayload(shape.fields, frame.payload)
    } catch (error) {
      return this.#bad(session, `${shape.name}: ${messageOf(error)}`, frame.index)
    }
    this.#message(session, shape, payload)
  }

  #message(session: Session, { name }: MessageShape, payload: unknown): void {
    const handlers = this.#core.handlers.onMessage ?? {}
    const room = this.#room
    const { client } = session
    if (Object.hasOwn(handlers, name)) {
      return this.#core.hook(`onMessage.${name}`, () => handlers[name]?.(room, client, payload))
    }
    if (Object.hasOwn(handlers, "*")) {
      return this.#core.hook("onMessage.*", () => handlers["*"]?.(room, client, name, payload))
    }
    if (this.#unhandled.has(name)) return
    this.#unhandled.add(name)
    this.#core.log("warn", `onMessage.${name}: has no handler; such messages are dropped`)
  }

  #rpc(session: Session, { id, index, args }: RpcFrame): void {
    const shape = this.#core.schema.rpc.client.list[index]
    const refuse = (code: string, message: string) =>
      deliverTo(this.#core, session, RoomFrames.rpcRefusal(id, { code, message }))
    if (shape === undefined)
      return refuse(RoomRefusals.badMessage.code, `RPC ${index} is not of the schema`)
    if (session.callsWaiting >= ClientLimits.rpcsWaiting.max) {
      return refuse(
        RoomRefusals.rpcBusy.code,
        `${shape.name}: ${session.callsWaiting} calls wait already`
      )
    }
    let values: unknown
    try {
      values = unpackPayload(shape.args, args)
    } catch (error) {
      return refuse(RoomRefusals.badMessage.code, `${shape.name}: ${messageOf(error)}`)
    }
    const call: Call = { session, shape, id, ref: session.ref }
    session.callsWaiting++
    try {
      const answer = this.#core.handlers.rpc?.[shape.name]?.(this.#room, session.client, values)
      if (!isPromise(answer)) return this.#answer(call, answer)
      // What code does after the last snapshot is lost: it must not be acknowledged. Source: C-418.
      answer.then(
        (value) => void (this.#core.over || this.#answer(call, value)),
        (error: unknown) => void (this.#core.over || this.#failed(call, error))
      )
    } catch (error) {
      this.#failed(call, error)
    }
  }

  #answer(call: Call, value: unknown): void {
    let frame: Uint8Array
    try {
      const packed = packPayload(call.shape.returns, value, `rpc.${call.shape.name}.returns`)
      frame = RoomFrames.rpcResult(call.id, packed)
    } catch (error) {
      return this.#failed(call, error)
    }
    if (!call.shape.durable) return this.#finish(call, frame)
    // Acknowledged only once stored. Source: D-48.
    this.#core.saves.stored().then(
      () => this.#finish(call, frame),
      (error: unknown) => this.#failed(call, error)
    )
  }

  #failed(call: Call, error: unknown): void {
    const own = error instanceof RpcError && /^E_[A-Z0-9_]{1,62}$/.test(error.code)
    if (!own) this.#core.logError(`rpc.${call.shape.name}`, error)
    if (!own && this.#core.isDev) return this.#tell(call, error)
    const refusal = own
      ? { code: error.code, message: error.message }
      : { code: RoomRefusals.rpcFailed.code, message: "the room could not answer the call" }
    this.#finish(call, RoomFrames.rpcRefusal(call.id, refusal))
  }

  /** The service answers with the message and its place in the sources. Source: C-404. */
  #tell(call: Call, error: unknown): void {
    const { ref, id: callId } = call
    if (!this.#closes(call) || ref === null) return
    const message = serviceMessage(messageOf(error).toWellFormed())
    const stack = cutLogLine(stackOf(error)).toWellFormed()
    this.#core.send(Reports.callFailed({ ref, callId, message, stack }))
  }

  #finish(call: Call, frame: Uint8Array): void {
    if (this.#closes(call)) deliverTo(this.#core, call.session, frame)
  }

  /** Ends a call. @returns false = nobody waits for its answer any more */
  #closes({ session, ref }: Call): boolean {
    session.callsWaiting--
    if (session.ref !== ref) return false
    // A client with the answer also has the state that the call left behind.
    this.#core.handOver()
    return true
  }

  #bad(session: Session, message: string, re: number | null): void {
    deliverTo(this.#core, session, RoomFrames.error(RoomRefusals.badMessage.code, message, re))
  }
}
