import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { roomKeyText, type RoomKey } from "@atrium/domain/shared/Ids"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { packVoiceTold } from "@atrium/wire/voice/VoiceFrames"

import { voiceSince } from "../cluster/RunnerProtocol.ts"
import type { ClientGate, ClientSink } from "../rooms/ClientGate.ts"
import { hashSecretHex, makeToken } from "../store/Secrets.ts"
import { eachDelivered, LinkFault, LinkKind } from "./LinkFrames.ts"
import type { EntryHandshake } from "./LinkHandshake.ts"
import {
  type EnterRequest,
  enterRequest,
  packCounts,
  remoteClose,
  remoteRefusal,
  remoteWelcome,
  type RoomEntered,
  roomEntered
} from "./LinkMessages.ts"
import { type AskedQuestion, LinkQuestions } from "./LinkQuestions.ts"
import type { LinkSide, LinkSocket } from "./LinkSocket.ts"

/** A client's connection on its entry runner. */
export interface ForwardedClient extends ClientSink {
  /** The client's frames come faster than the link takes them: its connection is not read for a while. */
  holdBack(): void
}

/** A client that asks for a seat in a room of the runner at the other end. */
export interface Forwarding extends Omit<
  EnterRequest,
  "project" | "room" | "resumeHashes" | "tellsSettled"
> {
  readonly key: RoomKey
  readonly client: ForwardedClient
  /** Called once, before the first frame of the room. `Lost` = nobody knows whether the client has a seat. */
  readonly answered: (answer: ForwardAnswer) => void
  /** Called once, unless the room is `Absent`: whether the room has let somebody in. */
  readonly settled?: (entered: boolean) => void
}

export type ForwardAnswer =
  | { readonly _tag: "Entered"; readonly entered: RoomEntered; readonly seat: RemoteSeat }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Lost"; readonly why: string }

/** A question that was asked. */
export interface AskedRef {
  /** The next part is wanted. */
  more(): void
  end(): void
}

/** How many hashes of resume tokens the room's runner has ahead of the welcomes that carry the tokens. */
const tokensAhead = 2

/** The answer of a runner of a version that has no calls, which cannot say it. */
const noCallsThere = packVoiceTold({
  _tag: "refused",
  code: "E_VOICE_OFF",
  message: "voice: the room has no calls"
})

const roomLost = { code: CloseCodes.restarting.code, reason: "the room's runner is out of reach" }

/** A client's seat in a room of another runner, as the client's connection sees it. */
export class RemoteSeat implements ClientGate {
  readonly ref: number
  readonly forwarding: Forwarding
  readonly #link: EntryLink
  readonly #tokens: Array<string> = []
  #taken = 0
  #received = 0
  #sent = 0
  entered = false
  gone = false

  constructor(link: EntryLink, ref: number, forwarding: Forwarding) {
    this.#link = link
    this.ref = ref
    this.forwarding = forwarding
  }

  /** The hash of one more resume token. */
  nextResumeHash(): string {
    const token = makeToken()
    this.#tokens.push(token)
    return hashSecretHex(token)
  }

  data(_ref: number, frame: Uint8Array): void {
    if (!this.gone) this.#link.data(this, frame)
  }

  chat(_ref: number, text: string): void {
    if (!this.gone) this.#link.chat(this, text)
  }

  voice(_ref: number, frame: Uint8Array): void {
    if (!this.gone) this.#link.voice(this, frame)
  }

  exit(_ref: number, consented: boolean): void {
    if (!this.gone) this.#link.exit(this, consented)
  }

  /** The room's own runner watches over the room; this runner watches over the link. */
  serves(): boolean {
    return !this.gone
  }

  received(bytes: number): void {
    this.#received += bytes
    this.#link.counted(this)
  }

  sent(bytes: number): void {
    this.#sent += bytes
    this.#link.counted(this)
  }

  /** A frame of the room for the client. */
  deliver(frame: Uint8Array): void {
    if (this.gone || !this.forwarding.client.write(frame)) return
    this.#taken += frame.length
    if (this.#taken >= LinkLimits.linkCountBytes.max) this.#link.tellCounts(this)
    else this.#link.counted(this)
  }

  welcome(bytes: Buffer): void {
    const told = remoteWelcome.unpack(bytes)
    const resume = this.#tokens.shift()
    if (resume === undefined) throw new LinkFault("a welcome has no resume token")
    this.sent(this.forwarding.client.welcome({ ...told, resume }))
  }

  /** What was counted since the last call; `null` = nothing. */
  takeCounts(): Uint8Array | null {
    const counts = { taken: this.#taken, received: this.#received, sent: this.#sent }
    if (counts.taken + counts.received + counts.sent === 0) return null
    this.#taken = 0
    this.#received = 0
    this.#sent = 0
    return packCounts(counts)
  }
}

/** The side of a link that forwards clients of this runner to rooms of another one. */
export class EntryLink implements LinkSide {
  readonly #handshake: EntryHandshake
  readonly #ended: (why: string) => void
  readonly #seats = new Map<number, RemoteSeat>()
  /** Rooms that wait to tell whether they have let somebody in. */
  readonly #settling = new Map<number, (entered: boolean) => void>()
  /** Seats with bytes that the room's runner has not heard of. */
  readonly #counting = new Set<RemoteSeat>()
  /** Clients in each room. */
  readonly #rooms = new Map<string, number>()
  readonly #questions = new LinkQuestions(
    (kind, ref, bytes) => this.#socket?.send(kind, ref, bytes),
    () => this.#handshake.version
  )
  #socket: LinkSocket | null = null
  #nextRef = 1

  constructor(handshake: EntryHandshake, ended: (why: string) => void) {
    this.#handshake = handshake
    this.#ended = ended
  }

  /** Clients that it forwards. */
  get seats(): number {
    return this.#seats.size
  }

  open(socket: LinkSocket): void {
    this.#socket = socket
    socket.shake(LinkKind.hello, this.#handshake.hello())
  }

  /** Whether a client of this runner is in the room over there. */
  reaches(key: RoomKey): boolean {
    return this.#rooms.has(roomKeyText(key))
  }

  /** Asks for a seat. The seat may be given back at any time, also before the answer. */
  enter(forwarding: Forwarding): RemoteSeat {
    const ref = this.#freeRef()
    const seat = new RemoteSeat(this, ref, forwarding)
    this.#seats.set(ref, seat)
    const { key, client: _client, answered: _answered, settled, ...entrance } = forwarding
    if (settled !== undefined) this.#settling.set(ref, settled)
    const request: EnterRequest = {
      ...entrance,
      project: key.projectId,
      room: key.roomId,
      resumeHashes: Array.from({ length: tokensAhead }, () => seat.nextResumeHash()),
      tellsSettled: settled !== undefined
    }
    this.#socket?.send(LinkKind.enter, ref, enterRequest.pack(request))
    return seat
  }

  /** Asks the runner over there. */
  ask(question: AskedQuestion): AskedRef {
    const ref = this.#freeRef()
    this.#questions.ask(ref, question)
    return {
      more: () => this.#questions.more(ref),
      end: () => this.#questions.end(ref)
    }
  }

  #freeRef(): number {
    const ref = this.#nextRef
    // A ref that is in use after four billion others has a client that stayed all the while.
    this.#nextRef = ref >= 0xffff_ffff ? 1 : ref + 1
    const taken = this.#seats.has(ref) || this.#settling.has(ref) || this.#questions.has(ref)
    return taken ? this.#freeRef() : ref
  }

  data(seat: RemoteSeat, frame: Uint8Array): void {
    const socket = this.#socket
    if (socket === null) return
    socket.send(LinkKind.data, seat.ref, frame)
    if (socket.backlogBytes > LinkLimits.linkCongestedBytes.max) seat.forwarding.client.holdBack()
  }

  chat(seat: RemoteSeat, text: string): void {
    this.#socket?.send(LinkKind.chat, seat.ref, Buffer.from(text))
  }

  voice(seat: RemoteSeat, frame: Uint8Array): void {
    if (this.#handshake.version >= voiceSince) {
      return this.#socket?.send(LinkKind.voice, seat.ref, frame)
    }
    seat.received(frame.length)
    seat.deliver(noCallsThere)
  }

  /** The ref is free from here on, also where the room has let the client go. */
  exit(seat: RemoteSeat, consented: boolean): void {
    this.tellCounts(seat)
    this.#free(seat)
    this.#socket?.send(LinkKind.exit, seat.ref, Buffer.from([consented ? 1 : 0]))
  }

  /** Notes that the seat has counts to tell at the next look. */
  counted(seat: RemoteSeat): void {
    if (!seat.gone) this.#counting.add(seat)
  }

  tellCounts(seat: RemoteSeat): void {
    this.#counting.delete(seat)
    const counts = seat.takeCounts()
    if (counts !== null) this.#socket?.send(LinkKind.counts, seat.ref, counts)
  }

  /** Called once per `LinkLimits.linkBeat`. */
  look(): void {
    for (const seat of this.#counting) this.tellCounts(seat)
  }

  handshake(kind: number, bytes: Buffer): number {
    if (kind !== LinkKind.challenge) throw new LinkFault("the peer does not answer the hello")
    this.#socket?.shake(LinkKind.proof, this.#handshake.challenged(bytes))
    this.#questions.proven()
    return this.#handshake.version
  }

  frame(kind: number, ref: number, bytes: Buffer): void {
    if (kind === LinkKind.deliver) return eachDelivered(ref, bytes, this.#deliver)
    if (kind === LinkKind.settled) return this.#settled(ref, bytes[0] === 1)
    if (kind === LinkKind.answer || kind === LinkKind.unanswered) {
      return this.#questions.frame(kind, ref, bytes)
    }
    const seat = this.#seats.get(ref)
    // The client has left meanwhile. A room that is gone counts as one that was entered.
    if (seat === undefined) return kind === LinkKind.absent ? this.#settled(ref, true) : undefined
    switch (kind) {
      case LinkKind.entered:
        return this.#entered(seat, roomEntered.unpack(bytes))
      case LinkKind.absent:
        this.#settling.delete(ref)
        this.#free(seat)
        return seat.forwarding.answered({ _tag: "Absent" })
      case LinkKind.welcome:
        seat.welcome(bytes)
        this.#socket?.send(LinkKind.resumeHash, ref, Buffer.from(seat.nextResumeHash()))
        return
      case LinkKind.refuse: {
        const refusal = remoteRefusal.unpack(bytes)
        this.exit(seat, false)
        return seat.forwarding.client.refuse(refusal)
      }
      case LinkKind.hold:
        return seat.forwarding.client.hold(() => this.#socket?.send(LinkKind.held, ref))
      case LinkKind.moved:
        this.exit(seat, false)
        return seat.forwarding.client.moved()
      case LinkKind.close: {
        const close = remoteClose.unpack(bytes)
        this.exit(seat, false)
        return seat.forwarding.client.close(close)
      }
      default:
        throw new LinkFault(`frame ${kind} is unknown`)
    }
  }

  ended(why: string): void {
    const seats = [...this.#seats.values()]
    for (const seat of seats) this.#free(seat)
    for (const settled of this.#settling.values()) settled(true)
    this.#settling.clear()
    this.#ended(why)
    this.#questions.lost(why)
    for (const { entered, forwarding } of seats) {
      if (entered) forwarding.client.close(roomLost)
      else forwarding.answered({ _tag: "Lost", why })
    }
  }

  readonly #deliver = (ref: number, frame: Uint8Array): void => {
    this.#seats.get(ref)?.deliver(frame)
  }

  #entered(seat: RemoteSeat, entered: RoomEntered): void {
    if (seat.entered) throw new LinkFault("a client enters twice")
    const room = roomKeyText(seat.forwarding.key)
    seat.entered = true
    this.#rooms.set(room, (this.#rooms.get(room) ?? 0) + 1)
    seat.forwarding.answered({ _tag: "Entered", entered, seat })
  }

  #settled(ref: number, entered: boolean): void {
    this.#settling.get(ref)?.(entered)
    this.#settling.delete(ref)
  }

  #free(seat: RemoteSeat): void {
    seat.gone = true
    this.#counting.delete(seat)
    this.#seats.delete(seat.ref)
    if (!seat.entered) return
    const room = roomKeyText(seat.forwarding.key)
    const left = (this.#rooms.get(room) ?? 1) - 1
    if (left > 0) this.#rooms.set(room, left)
    else this.#rooms.delete(room)
  }
}
