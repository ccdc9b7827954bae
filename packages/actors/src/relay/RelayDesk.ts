import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { RoomFrames, readRoomFrame } from "@atrium/runtime/room/ClientFrames"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import type { Plain } from "@atrium/wire/msgpack/MsgpackReader"

import type { RoomProcessListener } from "../process/RoomProcess.ts"
import { type RelayFault, RelayFaults } from "./RelayFault.ts"
import { firstField, opsIn, readRelayFrame, RelayFrames, SendFrame } from "./RelayFrames.ts"
import type { RelayMachine, RelayNotice } from "./RelayMachine.ts"
import { readOps } from "./RelayOps.ts"
import type { RelaySession } from "./RelaySeatsMachine.ts"
import type { RelayState } from "./RelayState.ts"

/** A client that is connected, with what each of its messages needs. */
export interface Seated {
  readonly session: RelaySession
  readonly ref: number
  /** What stands before the data of all that it sends. */
  readonly head: Uint8Array
  /** The connections of all others; `null` = somebody came or went since it was made. */
  others: ReadonlyArray<number> | null
}

interface Parts {
  readonly machine: RelayMachine
  readonly state: RelayState
  readonly listener: RoomProcessListener
}

interface Turn {
  nowMs(): number
  /** There is something to do at the end of the turn. */
  touch(): void
}

/** Takes the frames of a relay room's clients and gives the answers. Nothing in it awaits. */
export class RelayDesk {
  readonly #machine: RelayMachine
  readonly #state: RelayState
  readonly #listener: RoomProcessListener
  readonly #turn: Turn
  readonly #seated = new Map<number, Seated>()
  readonly #send = new SendFrame()
  /** Acknowledgements that follow the patch of this turn. */
  #acks: Array<readonly [ref: number, frame: Uint8Array]> = []

  constructor({ machine, state, listener }: Parts, turn: Turn) {
    this.#machine = machine
    this.#state = state
    this.#listener = listener
    this.#turn = turn
  }

  seated(ref: number): Seated | undefined {
    return this.#seated.get(ref)
  }

  came(session: RelaySession, ref: number): void {
    this.#someoneMoved()
    const head = RelayFrames.sentHead(session.id)
    this.#seated.set(ref, { session, ref, head, others: null })
  }

  gone(ref: number): void {
    if (this.#seated.delete(ref)) this.#someoneMoved()
  }

  /** `send`: the data goes on as it came. Every message passes here. */
  send(from: Seated, frame: Uint8Array): void {
    const { session, ref } = from
    if (frame.length > RelayLimits.relayFrameBytes.max) return this.#refuse(ref, tooLarge, null)
    const nowMs = this.#turn.nowMs()
    const bytes = this.#machine.takeBytes(session, frame.length, nowMs)
    if (bytes !== "passes") return this.#excess(ref, bytes, RelayFaults.relayBytes)
    const sends = this.#machine.takeSend(session, nowMs)
    if (sends !== "passes") return this.#excess(ref, sends, RelayFaults.viewerSends)
    if (!this.#send.read(frame)) return this.#refuse(ref, malformedSend, null)
    const { to } = this.#send
    const refs = to === null ? this.#othersOf(from) : this.#refsOf(to)
    if (refs.length > 0) {
      this.#listener.deliver(refs, RelayFrames.sent(from.head, frame, this.#send))
    }
  }

  /** Every other frame that the router lets through. */
  frame(from: Seated, frame: Uint8Array): void {
    switch (frame[1]) {
      case ClientFrame.write:
      case ClientFrame.own:
      case ClientFrame.ownAnswer:
        return this.#relayFrame(from, frame)
      case undefined:
      default:
        return this.#codeFrame(from, frame)
    }
  }

  tell(notices: ReadonlyArray<RelayNotice>): void {
    for (const notice of notices) {
      const { ref } = notice.to
      if (ref !== null) this.#listener.deliver([ref], RelayFrames.notice(notice))
    }
  }

  sendAcks(): void {
    if (this.#acks.length === 0) return
    const acks = this.#acks
    this.#acks = []
    for (const [ref, ack] of acks) this.#listener.deliver([ref], ack)
  }

  #relayFrame({ session, ref }: Seated, frame: Uint8Array): void {
    const fault = this.#spend(session, frame)
    if (fault !== null) return this.#refuseRelay(ref, frame, fault)
    let read
    try {
      read = readRelayFrame(frame)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return this.#refuse(ref, RelayFaults.badMessage(why), null)
    }
    switch (read.is) {
      case "write":
        return this.#write({ session, ref }, read.id, read.ops)
      case "own": {
        const { fault: refusal, notices } = this.#machine.own(session, read, this.#turn.nowMs())
        if (refusal !== null) this.#refuse(ref, refusal, null)
        this.tell(notices)
        return this.#turn.touch()
      }
      case "ownAnswer":
        this.tell(this.#machine.answer(session, read.request, read.granted))
    }
  }

  #write({ session, ref }: Pick<Seated, "session" | "ref">, id: number, given: Plain): void {
    const { shapes } = this.#state
    const placeOf = (name: string) => this.#machine.tables.placeOf(name)
    const read = readOps({ shapes, placeOf }, given)
    if ("fault" in read) return this.#refuse(ref, read.fault, id)
    const written = this.#machine.write(session, read.ops, this.#turn.nowMs())
    if ("fault" in written) return this.#refuse(ref, written.fault, id)
    this.#state.apply(read)
    this.#acks.push([ref, RelayFrames.ack(id, written.keys)])
    this.tell(written.notices)
    this.#turn.touch()
  }

  /** What only rooms with code take is as unknown here as what their schema does not have. */
  #codeFrame({ ref }: Seated, bytes: Uint8Array): void {
    const bad = RelayFaults.badMessage("the room runs no code: it takes no messages and calls")
    let frame
    try {
      frame = readRoomFrame(bytes)
    } catch {
      return this.#refuse(ref, bad, null)
    }
    if (frame.tag !== "rpc") return this.#refuse(ref, bad, frame.tag === "msg" ? frame.index : null)
    this.#listener.deliver([ref], RoomFrames.rpcRefusal(frame.id, bad))
  }

  #spend(session: RelaySession, frame: Uint8Array): RelayFault | null {
    if (frame.length > RelayLimits.relayFrameBytes.max) return tooLarge
    const taken = this.#machine.takeBytes(session, frame.length, this.#turn.nowMs())
    if (taken !== "passes") return RelayFaults.relayBytes
    // More than can ever pass is not read: it would take longer than all that is.
    return opsIn(frame) > RelayLimits.relayWriteOps.burst ? RelayFaults.writeRate : null
  }

  /** Whoever writes or asks waits for an answer: it is told each time. */
  #refuseRelay(ref: number, frame: Uint8Array, fault: RelayFault): void {
    this.#refuse(ref, fault, frame[1] === ClientFrame.write ? firstField(frame) : null)
    if (frame[1] !== ClientFrame.own) return
    const asked = ownOf(frame)
    if (asked === null) return
    const to = this.#seated.get(ref)?.session
    if (to !== undefined) this.tell([{ is: "ownResult", to, ...asked, granted: false }])
  }

  #excess(ref: number, taken: "told" | "tell", fault: RelayFault): void {
    if (taken === "tell") this.#refuse(ref, fault, null)
  }

  #refuse(ref: number, { code, message }: RelayFault, re: number | null): void {
    this.#listener.deliver([ref], RoomFrames.error(code, message, re))
  }

  #someoneMoved(): void {
    for (const seated of this.#seated.values()) seated.others = null
  }

  #othersOf(from: Seated): ReadonlyArray<number> {
    from.others ??= [...this.#seated.keys()].filter((ref) => ref !== from.ref)
    return from.others
  }

  /** Each once, however often it is named. */
  #refsOf(ids: ReadonlyArray<string>): ReadonlyArray<number> {
    const refs = new Set<number>()
    for (const id of ids) {
      const ref = this.#machine.seats.byId(id)?.ref
      if (ref !== undefined && ref !== null) refs.add(ref)
    }
    return [...refs]
  }
}

const tooLarge = RelayFaults.rejected("the frame is over 64 KB")
const malformedSend = RelayFaults.badMessage("send: the frame is malformed")

/** What a frame asks for that is refused before it is looked at. */
const ownOf = (frame: Uint8Array): { readonly collection: string; readonly key: number } | null => {
  if (frame.length > RelayLimits.relayFrameBytes.max) return null
  try {
    const read = readRelayFrame(frame)
    return read.is === "own" ? read : null
  } catch {
    return null
  }
}
