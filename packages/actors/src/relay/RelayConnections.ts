import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { RoomFrames, readRoomFrame } from "@atrium/runtime/room/ClientFrames"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import type { Plain } from "@atrium/wire/msgpack/MsgpackReader"
import type { StateShape } from "@atrium/wire/schema"

import type { RoomProcessListener } from "../process/RoomProcess.ts"
import { type Passage, RelayAllowance } from "./RelayAllowance.ts"
import { firstField, opsIn, readRelayFrame, RelayFrames, SendFrame } from "./RelayFrames.ts"
import { readOps } from "./RelayOps.ts"
import { type RelayRefusal, RelayRefusals } from "./RelayRefusal.ts"
import type { RelayEvent, RelaySession, RelayState } from "./RelayState.ts"

/** The connection of a session, with what each of its messages needs. */
interface Connection {
  readonly ref: number
  readonly sessionId: string
  readonly allowance: RelayAllowance
  /** The bytes before the data of everything that the client sends. */
  readonly head: Uint8Array
  /** The refs of all other connections; `null` = a connection came or went since. */
  others: ReadonlyArray<number> | null
}

/** The room behind the connections. */
interface Room {
  readonly shapes: ReadonlyArray<StateShape>
  nowMs(): number
  state(): RelayState
  step(event: RelayEvent): void
}

/**
 * The connections of a relay room: turns the frames of clients into events, and passes messages on.
 * Messages go from client to client here, past the machine. Nothing in it awaits.
 */
export class RelayConnections {
  readonly #room: Room
  readonly #listener: RoomProcessListener
  readonly #byRef = new Map<number, Connection>()
  /** By session, as a session outlives its connection. */
  readonly #allowances = new Map<string, RelayAllowance>()
  readonly #send = new SendFrame()

  constructor(room: Room, listener: RoomProcessListener) {
    this.#room = room
    this.#listener = listener
  }

  get size(): number {
    return this.#byRef.size
  }

  sessionIdOf(ref: number): string | undefined {
    return this.#byRef.get(ref)?.sessionId
  }

  open({ id, viewer }: RelaySession, ref: number): void {
    this.#forgetOthers()
    const known = this.#allowances.get(id)
    const allowance = known ?? new RelayAllowance({ viewer, nowMs: this.#room.nowMs() })
    this.#allowances.set(id, allowance)
    const head = RelayFrames.sentHead(id)
    this.#byRef.set(ref, { ref, sessionId: id, allowance, head, others: null })
  }

  close(ref: number): void {
    if (this.#byRef.delete(ref)) this.#forgetOthers()
  }

  endSession(sessionId: string): void {
    this.#allowances.delete(sessionId)
  }

  /** A frame of a client that the router has let through. */
  frame(ref: number, frame: Uint8Array): void {
    const from = this.#byRef.get(ref)
    if (from === undefined) return
    switch (frame[1]) {
      case ClientFrame.send:
        return this.#sendOn(from, frame)
      case ClientFrame.write:
      case ClientFrame.own:
      case ClientFrame.ownAnswer:
        return this.#relayFrame(from, frame)
      case undefined:
      default:
        return this.#codeFrame(from, frame)
    }
  }

  refuse(ref: number, { code, message }: RelayRefusal, re: number | null): void {
    this.#listener.deliver([ref], RoomFrames.error(code, message, re))
  }

  /** Every message passes here: its data goes on as it came. */
  #sendOn(from: Connection, frame: Uint8Array): void {
    const { ref, allowance } = from
    if (frame.length > RelayLimits.relayFrameBytes.max) return this.refuse(ref, tooLarge, null)
    const nowMs = this.#room.nowMs()
    const bytes = allowance.takeBytes(frame.length, nowMs)
    if (bytes !== "passes") return this.#excess(ref, bytes, RelayRefusals.relayBytes)
    const sends = allowance.takeSend(nowMs)
    if (sends !== "passes") return this.#excess(ref, sends, RelayRefusals.viewerSends)
    if (!this.#send.read(frame)) return this.refuse(ref, malformedSend, null)
    const { to } = this.#send
    const refs = to === null ? this.#othersOf(from) : this.#refsOf(to)
    if (refs.length > 0) {
      this.#listener.deliver(refs, RelayFrames.sent(from.head, frame, this.#send))
    }
  }

  #relayFrame(from: Connection, frame: Uint8Array): void {
    const { ref, sessionId } = from
    const refusal = this.#limit(from, frame)
    if (refusal !== null) return this.#refuseUnread(from, frame, refusal)
    let read
    try {
      read = readRelayFrame(frame)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return this.refuse(ref, RelayRefusals.badMessage(why), null)
    }
    switch (read._tag) {
      case "Write":
        return this.#write(from, read.id, read.ops)
      case "Own": {
        const { collection, key } = read
        const nowMs = this.#room.nowMs()
        const event = {
          _tag: "OwnershipRequested",
          from: sessionId,
          collection,
          key,
          nowMs
        } as const
        return this.#room.step(event)
      }
      case "OwnAnswer": {
        const { request, granted } = read
        return this.#room.step({ _tag: "OwnershipAnswered", from: sessionId, request, granted })
      }
    }
  }

  #write({ ref, sessionId, allowance }: Connection, id: number, given: Plain): void {
    const { shapes } = this.#room
    const { places } = this.#room.state().tables
    const read = readOps({ shapes, places }, given)
    if (read._tag === "Bad") return this.refuse(ref, read.refusal, id)
    const { write } = read
    if (!allowance.takeOps(write.ops.length, this.#room.nowMs())) {
      return this.refuse(ref, RelayRefusals.writeRate, id)
    }
    this.#room.step({ _tag: "WriteReceived", from: sessionId, id, write })
  }

  /** Refuses the frames that only rooms with code take, and those that no room takes. */
  #codeFrame({ ref }: Connection, bytes: Uint8Array): void {
    const refusal = RelayRefusals.badMessage(
      "the room runs no code: it takes no messages and calls"
    )
    let frame
    try {
      frame = readRoomFrame(bytes)
    } catch {
      return this.refuse(ref, refusal, null)
    }
    if (frame._tag !== "rpc") {
      return this.refuse(ref, refusal, frame._tag === "msg" ? frame.index : null)
    }
    this.#listener.deliver([ref], RoomFrames.rpcRefusal(frame.id, refusal))
  }

  #limit({ allowance }: Connection, frame: Uint8Array): RelayRefusal | null {
    if (frame.length > RelayLimits.relayFrameBytes.max) return tooLarge
    const bytes = allowance.takeBytes(frame.length, this.#room.nowMs())
    if (bytes !== "passes") return RelayRefusals.relayBytes
    // A write of more ops than can ever pass is not read: reading it would take longest of all.
    return opsIn(frame) > RelayLimits.relayWriteOps.burst ? RelayRefusals.writeRate : null
  }

  /** A client waits for an answer to each write and each request: each refusal is sent. */
  #refuseUnread({ ref, sessionId }: Connection, frame: Uint8Array, refusal: RelayRefusal): void {
    this.refuse(ref, refusal, frame[1] === ClientFrame.write ? firstField(frame) : null)
    const asked = frame[1] === ClientFrame.own ? ownOf(frame) : null
    if (asked === null) return
    const { collection, key } = asked
    const notice = RelayFrames.notice({
      _tag: "AnswerOwnership",
      to: sessionId,
      collection,
      key,
      granted: false
    })
    this.#listener.deliver([ref], notice)
  }

  /** The sender hears of the first refusal only, until a frame passes. */
  #excess(ref: number, passage: Exclude<Passage, "passes">, refusal: RelayRefusal): void {
    if (passage === "refused") this.refuse(ref, refusal, null)
  }

  #forgetOthers(): void {
    for (const connection of this.#byRef.values()) connection.others = null
  }

  #othersOf(from: Connection): ReadonlyArray<number> {
    from.others ??= [...this.#byRef.keys()].filter((ref) => ref !== from.ref)
    return from.others
  }

  /** Each connection once, however often its client is named. */
  #refsOf(ids: ReadonlyArray<string>): ReadonlyArray<number> {
    const refs = new Set<number>()
    const { sessions } = this.#room.state()
    for (const id of ids) {
      const ref = sessions.get(id)?.ref
      if (ref !== undefined && ref !== null) refs.add(ref)
    }
    return [...refs]
  }
}

const tooLarge = RelayRefusals.rejected("the frame is over 64 KB")
const malformedSend = RelayRefusals.badMessage("send: the frame is malformed")

/** The record that a frame asks for, which was refused before it was read. */
const ownOf = (frame: Uint8Array): { readonly collection: string; readonly key: number } | null => {
  if (frame.length > RelayLimits.relayFrameBytes.max) return null
  try {
    const read = readRelayFrame(frame)
    return read._tag === "Own" ? read : null
  } catch {
    return null
  }
}
