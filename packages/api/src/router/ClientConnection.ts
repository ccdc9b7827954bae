import type { ForwardedClient } from "@atrium/actors/link/EntryLink"
import type { ClientGate, ToldWelcome } from "@atrium/actors/rooms/ClientGate"
import { hashSecretHex, makeToken } from "@atrium/actors/store/Secrets"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { type CloseCode, CloseCodes } from "@atrium/wire/frames/CloseCode"
import { closeCodeOf, mayReconnect } from "@atrium/wire/frames/Closing"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { makeBucket, takeToken } from "@atrium/wire/limits/TokenBucket"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import type { RawData, WebSocket } from "ws"

import { ArrivingMessage } from "./ArrivingMessage.ts"
import type { Backlogged } from "./Backlogs.ts"
import type { ConnectionCount } from "./ConnectionFigures.ts"
import type {
  ConnectionListener,
  ConnectionShare,
  ConnectionWire,
  RoomFacts
} from "./ConnectionParts.ts"
import { Heartbeat } from "./Heartbeat.ts"
import { HeldSeat, type SeatAt } from "./HeldSeat.ts"
import { type Hello, readHello } from "./Hello.ts"
import type { Watched } from "./OrphanSockets.ts"
import { Outbox } from "./Outbox.ts"
import { TalkFrames } from "./TalkFrames.ts"
import type { Unfinished } from "./UnfinishedMessages.ts"
import { frameBinary } from "./WebSocketFrame.ts"

type State =
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Joining"; readonly hello: Hello }
  | (SeatAt & { readonly _tag: "Seated"; welcomed: boolean })
  | { readonly _tag: "Ended"; readonly consented: boolean }

/** A hello with the longest header of a WebSocket frame. */
const earlyBytes = ConnectionLimits.helloBytes.max + 14

/**
 * One WebSocket of a client: reads its frames, counts them, hands them to the room's gate, and
 * writes what comes back. Everything on the message path is synchronous.
 */
export class ClientConnection implements ForwardedClient, Backlogged, Unfinished, Watched {
  readonly from: string
  readonly #socket: WebSocket
  readonly #outbox: Outbox
  readonly #share: ConnectionShare
  readonly #listener: ConnectionListener
  readonly #frames
  readonly #talk: TalkFrames
  readonly #arriving = new ArrivingMessage()
  #state: State = { _tag: "Waiting" }
  #facts: RoomFacts | null = null
  #resume = ""
  /** The session and the token of the last welcome; `null` = the client has not been let in. */
  told: { readonly sessionId: string; readonly resume: string } | null = null
  /** When the player came into the room, as the room's runner told with the last welcome. */
  sinceMs: number | undefined
  #framesTold = false
  /** Frames of this episode that were dropped. */
  #framesDropped = 0
  /** The welcome that is still on its way counts beside the budget. Spec: Outbound buffer per socket. */
  #welcomeBytes = 0
  readonly #count: ConnectionCount
  readonly heartbeat = new Heartbeat()

  constructor(wire: ConnectionWire, share: ConnectionShare, listener: ConnectionListener) {
    this.from = wire.from
    this.#socket = wire.socket
    this.#outbox = new Outbox(wire.stream, share.turn)
    this.#share = share
    this.#count = share.figures.connection(wire.project)
    this.#listener = listener
    this.#frames = makeBucket(ConnectionLimits.frames, share.nowMs())
    this.#talk = new TalkFrames({
      nowMs: share.nowMs,
      tell: (code, message) => this.#tell(code, message),
      put: (frame) => this.#put(frame),
      bad: (message) => this.#bad(message)
    })
    wire.socket.on("message", (data, isBinary) => this.#received(data, isBinary))
    wire.socket.on("close", (code) => this.#closed(code))
    wire.socket.on("ping", ({ length }) => this.#arriving.control(length))
    wire.socket.on("pong", ({ length }) => {
      this.heartbeat.answered(share.nowMs())
      this.#arriving.control(length)
    })
    // Before `ws` reads messages from it.
    wire.stream.prependListener("data", ({ length }: Buffer) => this.#came(length))
    share.unfinished.add(this)
    // A broken frame or a lost peer ends in "close", which is where it is handled.
    wire.socket.on("error", () => undefined)
  }

  /** From now on frames go to the room. Returns false when the client has gone in the meantime. */
  seat(gate: ClientGate, ref: number): boolean {
    if (this.#state._tag === "Ended") return false
    const seat = this.#held
    if (seat === null) this.#state = { _tag: "Seated", gate, ref, welcomed: false }
    else seat.seated({ gate, ref })
    return true
  }

  /** The seat whose frames wait; `null` = they go to the room. */
  get #held(): HeldSeat | null {
    return this.#state._tag === "Seated" && this.#state.gate instanceof HeldSeat
      ? this.#state.gate
      : null
  }

  /** It looks for the next place of its room. */
  get moving(): boolean {
    return this.#held?.moving === true
  }

  /** The client has left for good, or may not come back. */
  get leftForGood(): boolean {
    return this.#state._tag === "Ended" && this.#state.consented
  }

  /** The token that the client was told last; `null` = none. */
  get resume(): string | null {
    return this.told?.resume ?? null
  }

  hold(held: () => void): void {
    if (this.#state._tag === "Seated" && this.#held === null) {
      const gate = new HeldSeat(this.#state, {
        lookForRoom: () => this.#listener.moved(),
        giveUp: () => this.end(CloseCodes.restarting)
      })
      this.#state = { ...this.#state, gate }
      this.#share.soon(() => gate.expired(), HandoverLimits.handoverWait.ms)
    }
    held()
  }

  moved(): void {
    const seat = this.#held
    if (seat === null || this.#share.leaving()) return this.end(CloseCodes.restarting)
    seat.moved()
  }

  /** The facts about the room that the coming welcome carries. */
  describe(facts: RoomFacts): void {
    this.#facts = facts
  }

  nextResumeHash(): string {
    this.#resume = makeToken()
    return hashSecretHex(this.#resume)
  }

  welcome({ sinceMs, resume = this.#resume, ...told }: ToldWelcome): number {
    const { sessionId, tick, state, staleMs } = told
    const facts = this.#facts
    if (this.#state._tag !== "Seated" || facts === null) return 0
    this.#state.welcomed = true
    this.sinceMs = sinceMs
    this.#count.welcomed(this.#share.nowMs())
    const { roomId, version, playerId, viewer, relay, schema } = facts
    const frame = packValue([
      ServerFrame.welcome,
      sessionId,
      roomId,
      version,
      tick,
      state,
      viewer,
      resume,
      schema,
      playerId,
      relay,
      staleMs
    ])
    this.#welcomeBytes = frame.length
    this.#share.figures.framesOut++
    this.#outbox.push(frameBinary(frame))
    this.#share.backlogs.tell(this, this.#outbox.bufferedBytes)
    this.#listener.welcomed()
    this.#goOn(sessionId, resume)
    return frame.length
  }

  /** Frames that waited for this welcome follow it into the room. */
  #goOn(sessionId: string, resume: string): void {
    const same = this.told?.sessionId === sessionId
    this.told = { sessionId, resume }
    const at = this.#held?.welcomed(same) ?? null
    if (at !== null && !this.#ended) this.#state = { ...at, _tag: "Seated", welcomed: true }
  }

  write(frame: Uint8Array): boolean {
    const fits = this.#fits(frame.length)
    if (!fits) return false
    this.#share.figures.framesOut++
    this.#outbox.push(this.#share.frames.frame(frame))
    return true
  }

  /** Whether this many more bytes may wait for the client. A client over its budget is closed. */
  #fits(bytes: number): boolean {
    if (this.#state._tag === "Ended") return false
    let buffered = this.#outbox.bufferedBytes
    const budget =
      this.#facts?.viewer === true
        ? ConnectionLimits.outboundViewerBytes
        : ConnectionLimits.outboundPlayerBytes
    if (this.#welcomeBytes > 0 && buffered <= budget.max) this.#welcomeBytes = 0
    if (buffered + bytes > budget.max + this.#welcomeBytes) {
      // The kernel has not seen the frames of this turn yet: for a client that reads it takes them. Source: C-318.
      this.#outbox.flush()
      buffered = this.#outbox.bufferedBytes
    }
    if (buffered + bytes > budget.max + this.#welcomeBytes) {
      this.end(CloseCodes.slowConsumer)
      return false
    }
    if (this.#outbox.stuckBytes === 0) return true
    this.#share.backlogs.tell(this, buffered + bytes)
    return !this.#ended
  }

  get #ended(): boolean {
    return this.#state._tag === "Ended"
  }

  get served(): boolean {
    return this.#state._tag !== "Seated" || this.#state.gate.serves(this.#state.ref)
  }

  orphaned(): void {
    this.end(CloseCodes.restarting)
  }

  get backlogBytes(): number {
    return this.#outbox.bufferedBytes
  }

  cutOff(): void {
    this.end(CloseCodes.slowConsumer)
    this.#cutOffSoon()
  }

  get unfinishedBytes(): number {
    return this.#arriving.heldBytes
  }

  holdsMost(): void {
    if (this.#ended) return this.terminate()
    this.end(CloseCodes.unfinished)
    this.#cutOffSoon()
  }

  refuse(refusal: { readonly code: string; readonly message: string }): void {
    this.#count.refused(refusal.code)
    this.#tell(refusal.code, refusal.message)
    this.end(closeCodeOf(refusal.code))
  }

  close(close: { readonly code: number; readonly reason: string }): void {
    if (this.#state._tag === "Ended") return
    // A client that may come back after this code finds its session; with another code it has left.
    const consented = !mayReconnect(close.code)
    this.#leaveRoom(consented)
    this.#count.closed(close)
    this.#state = { _tag: "Ended", consented }
    this.#outbox.flush()
    this.#socket.close(close.code, close.reason)
    this.#listener.ended()
  }

  /** Closes with one of the service's own codes. */
  end(row: CloseCode): void {
    this.close({ code: row.code, reason: row.name })
  }

  holdBack(): void {
    if (this.#state._tag === "Seated") this.#pause()
  }

  ping(): void {
    this.heartbeat.pinged(this.#share.nowMs())
    this.#socket.ping()
  }

  /** A peer that answers no more gets no farewell. */
  terminate(): void {
    this.#socket.terminate()
  }

  /** A peer has the time to read its last bytes. */
  #cutOffSoon(): void {
    this.#share.soon(() => this.terminate(), HttpLimits.lastAnswer.ms)
  }

  #tell(code: string, message: string): void {
    this.#put(packValue([ServerFrame.error, code, message]))
  }

  /** A frame of the service itself: what a client has asked for is held for it no longer than the rest. */
  #put(frame: Uint8Array): void {
    if (!this.#fits(frame.length)) return
    this.#share.figures.framesOut++
    this.#outbox.push(frameBinary(frame))
    if (this.#state._tag === "Seated") this.#state.gate.sent(frame.length, this.#state.ref)
  }

  /** A chunk came. Before the welcome nothing is taken but a hello, and no hello is so long. */
  #came(bytes: number): void {
    const early = this.#arriving.unreadBytes > earlyBytes && !this.#welcomed
    this.#arriving.came(bytes)
    this.#share.unfinished.came(bytes)
    if (!early || this.#ended) return
    this.#bad("a message over 64 KiB before the welcome")
    this.#cutOffSoon()
  }

  get #welcomed(): boolean {
    return this.#state._tag === "Seated" && this.#state.welcomed
  }

  #received(data: RawData, isBinary: boolean): void {
    // `ws` hands out one Buffer per message unless told otherwise.
    const isBuffer = Buffer.isBuffer(data)
    if (isBuffer) this.#arriving.whole(data.length)
    if (this.#state._tag === "Ended") return
    this.#share.figures.framesIn++
    if (!isBinary || !isBuffer) return this.#bad("a text frame")
    if (data.length > FrameLimits.frameBytes.max) {
      return this.refuse({ code: "E_FRAME_TOO_LARGE", message: "the frame is over 1 MiB" })
    }
    if (this.#state._tag === "Waiting") return this.#greeted(data)
    if (!takeToken(this.#frames, ConnectionLimits.frames, this.#share.nowMs()))
      return this.#tooMany()
    this.#framesTold = false
    this.#framesDropped = 0
    if (this.#state._tag === "Seated" && this.#state.welcomed) {
      return this.#inRoom(data, this.#state.gate, this.#state.ref)
    }
    this.#bad("a frame before the welcome")
  }

  #greeted(data: Buffer): void {
    const hello = readHello(data)
    if (hello === null) return this.#bad("the first frame is not a hello")
    this.#state = { _tag: "Joining", hello }
    this.#count.began(this.#share.nowMs())
    this.#listener.hello(hello)
  }

  #inRoom(data: Buffer, gate: ClientGate, ref: number): void {
    // An array of up to 15 elements whose first is a small number: nothing else is a frame.
    const first = data[0] ?? 0
    if ((first & 0xf0) !== 0x90) return this.#bad("the frame is not an array")
    switch (data[1]) {
      case ClientFrame.msg:
      case ClientFrame.rpc:
      case ClientFrame.rpcResult:
      case ClientFrame.write:
      case ClientFrame.own:
      case ClientFrame.ownAnswer:
      case ClientFrame.send:
        return gate.data(ref, data)
      case ClientFrame.voice:
        return this.#talk.voice(data, gate, ref)
      case ClientFrame.chat:
        return this.#talk.chat(data, gate, ref)
      case ClientFrame.ping: {
        gate.received(data.length, ref)
        // A pong is its ping with another type, whatever it carries.
        const pong = Buffer.from(data)
        pong[1] = ServerFrame.pong
        return this.#put(pong)
      }
      case undefined:
      default:
        return this.#bad("unknown frame type")
    }
  }

  #tooMany(): void {
    this.#framesDropped++
    if (this.#framesDropped === ConnectionLimits.framesDropped.max) this.#pause()
    if (this.#framesTold) return
    this.#framesTold = true
    this.#tell("E_RATE_LIMITED", "more than 240 frames a second; the excess is dropped")
  }

  /** Reading frames only to drop them costs as much as taking them, so the sender has to wait. */
  #pause(): void {
    this.#framesDropped = 0
    this.#socket.pause()
    this.#share.soon(() => this.#socket.resume(), ConnectionLimits.floodPause.ms)
  }

  #bad(message: string): void {
    this.#tell("E_BAD_FRAME", message)
    this.end(CloseCodes.badFrame)
  }

  #closed(code: number): void {
    this.#share.backlogs.gone(this)
    this.#share.unfinished.gone(this)
    if (this.#state._tag === "Ended") return
    const consented = code === CloseCodes.normal.code
    this.#leaveRoom(consented)
    this.#count.left(code)
    this.#state = { _tag: "Ended", consented }
    this.#listener.ended()
  }

  #leaveRoom(consented: boolean): void {
    if (this.#state._tag === "Seated") this.#state.gate.exit(this.#state.ref, consented)
  }
}
