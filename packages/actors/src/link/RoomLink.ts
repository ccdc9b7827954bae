import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"

import type { ClientSink, ToldWelcome } from "../rooms/ClientGate.ts"
import type { RoomGate } from "../rooms/RoomGate.ts"
import { LinkFault, LinkKind } from "./LinkFrames.ts"
import type { RoomHandshake } from "./LinkHandshake.ts"
import {
  type EnterRequest,
  enterRequest,
  remoteClose,
  remoteRefusal,
  remoteWelcome,
  roomEntered,
  unpackCounts
} from "./LinkMessages.ts"
import { type AnsweredQuestions, LinkAnswers } from "./LinkQuestions.ts"
import type { LinkSide, LinkSocket } from "./LinkSocket.ts"

/** A room of this runner that takes clients of other ones. */
export interface ReachedRoom {
  readonly gate: RoomGate
  readonly version: number
  readonly relay: boolean
  readonly schemaHash: string
  readonly schema: unknown
  /** The room's type declares fields of players that are kept. */
  readonly keepsPlayers: boolean
}

/** Stored fields of a player, `null` = there are none; or why there are none to give. */
export type LoadedPlayer =
  | { readonly _tag: "Loaded"; readonly fields: Uint8Array | null }
  | { readonly _tag: "Refused"; readonly code: string; readonly message: string }
  /** The store does not answer, or the room has gone. */
  | { readonly _tag: "Absent" }

/** The rooms that are awake on this runner, and its answers to questions. */
export interface ReachedRooms extends AnsweredQuestions {
  /** `undefined` = it is not awake here, or has another type than is asked for. */
  find(request: EnterRequest): ReachedRoom | undefined
  loadPlayer(request: EnterRequest, then: (player: LoadedPlayer) => void): void
}

/** A client of another runner in a room of this one. */
export interface ReachedClient {
  /** A process serves its room. */
  readonly served: boolean
  /** Sends the client to where its room is now. */
  orphaned(): void
}

/** The side of a link whose rooms are reached. */
export class RoomLink implements LinkSide {
  readonly #handshake: RoomHandshake
  readonly #rooms: ReachedRooms
  readonly #ended: (why: string) => void
  /** `null` = the player's fields are being loaded. */
  readonly #sinks = new Map<number, RemoteSink | null>()
  readonly #answers: LinkAnswers
  #socket: LinkSocket | null = null

  constructor(handshake: RoomHandshake, rooms: ReachedRooms, ended: (why: string) => void) {
    this.#handshake = handshake
    this.#rooms = rooms
    this.#ended = ended
    const send = (kind: number, ref: number, bytes?: Uint8Array): void =>
      this.#socket?.send(kind, ref, bytes)
    this.#answers = new LinkAnswers(send, rooms)
  }

  open(socket: LinkSocket): void {
    this.#socket = socket
  }

  get clients(): ReadonlyArray<ReachedClient> {
    return [...this.#sinks.values()].filter((sink) => sink !== null)
  }

  handshake(kind: number, bytes: Buffer): number {
    if (kind === LinkKind.hello) {
      this.#socket?.shake(LinkKind.challenge, this.#handshake.greeted(bytes))
      return 0
    }
    if (kind !== LinkKind.proof) throw new LinkFault("the first frame is no hello of a runner")
    return this.#handshake.proven(bytes)
  }

  frame(kind: number, ref: number, bytes: Buffer): void {
    if (kind === LinkKind.enter) return this.#enter(ref, enterRequest.unpack(bytes))
    const sink = this.#sinks.get(ref)
    switch (kind) {
      case LinkKind.data:
        return sink?.data(bytes)
      case LinkKind.chat:
        return sink?.chat(bytes)
      case LinkKind.voice:
        return sink?.voice(bytes)
      case LinkKind.counts:
        return sink?.counted(unpackCounts(bytes))
      case LinkKind.resumeHash:
        return sink?.hashed(bytes.toString())
      case LinkKind.held:
        return sink?.held()
      case LinkKind.exit:
        this.#sinks.delete(ref)
        return sink?.exit(bytes[0] === 1)
      case LinkKind.ask:
      case LinkKind.more:
      case LinkKind.enough:
        return this.#answers.frame(kind, ref, bytes)
      default:
        throw new LinkFault(`frame ${kind} is unknown`)
    }
  }

  ended(why: string): void {
    const sinks = [...this.#sinks.values()]
    this.#sinks.clear()
    for (const sink of sinks) sink?.exit(false)
    this.#answers.lost()
    this.#ended(why)
  }

  #enter(ref: number, request: EnterRequest): void {
    if (this.#sinks.has(ref)) throw new LinkFault(`ref ${ref} is taken`)
    const room = this.#rooms.find(request)
    if (room?.keepsPlayers !== true) return this.#seat(ref, request, null)
    this.#sinks.set(ref, null)
    this.#rooms.loadPlayer(request, (player) => {
      // It has left meanwhile, or the link is gone.
      if (this.#sinks.get(ref) !== null) return
      this.#sinks.delete(ref)
      switch (player._tag) {
        case "Absent":
          return this.#socket?.send(LinkKind.absent, ref)
        case "Refused":
          return this.#refuse(ref, room, player)
        case "Loaded":
          return this.#seat(ref, request, player.fields)
      }
    })
  }

  /** A client that gets no seat. */
  #refuse(
    ref: number,
    { version, relay }: ReachedRoom,
    { code, message }: Extract<LoadedPlayer, { readonly _tag: "Refused" }>
  ): void {
    this.#socket?.send(LinkKind.entered, ref, roomEntered.pack({ version, relay, schema: null }))
    this.#socket?.send(LinkKind.refuse, ref, remoteRefusal.pack({ code, message }))
  }

  #seat(ref: number, request: EnterRequest, player: Uint8Array | null): void {
    const room = this.#rooms.find(request)
    const socket = this.#socket
    if (socket === null || room?.gate.open !== true) {
      this.#socket?.send(LinkKind.absent, ref)
      return
    }
    const { gate, version, relay } = room
    const { playerId, name, role, match, options, sessionId, resumeHash, sinceMs } = request
    const schema = request.schemaHash === room.schemaHash ? null : room.schema
    const sink = new RemoteSink({ socket, ref, gate }, request.resumeHashes)
    this.#sinks.set(ref, sink)
    // Before the room has anything to say to the client.
    socket.send(LinkKind.entered, ref, roomEntered.pack({ version, relay, schema }))
    const entrance = { playerId, name, role, options, sessionId, resumeHash, player }
    const since = sinceMs === undefined ? {} : { sinceMs }
    const matched = match === undefined ? {} : { match }
    sink.seated(gate.enter(sink, { ...entrance, ...since, ...matched }))
    if (request.tellsSettled) {
      gate.whenSettled((entered) =>
        socket.send(LinkKind.settled, ref, Buffer.from([entered ? 1 : 0]))
      )
    }
  }
}

/** How many hashes of resume tokens a seat keeps ahead of the welcomes that carry the tokens. */
const tokensKnown = 8

interface SinkParts {
  readonly socket: LinkSocket
  readonly ref: number
  readonly gate: RoomGate
}

/** A client of another runner, as the room sees it. */
class RemoteSink implements ClientSink, ReachedClient {
  readonly #socket: LinkSocket
  readonly #ref: number
  readonly #gate: RoomGate
  /** The hashes of the tokens of the coming welcomes, oldest first. */
  readonly #resumeHashes: Array<string>
  /** The client's number in the room. */
  #seat: number | null = null
  /** Bytes that the client's connection has not taken yet. */
  #onTheirWay = 0
  #ended = false
  /** To be told that the client's frames wait at its own runner; `null` = nobody asks, or it is told. */
  #tellHeld: (() => void) | null = null
  /** The client's frames wait there. */
  #held = false

  constructor({ socket, ref, gate }: SinkParts, resumeHashes: ReadonlyArray<string>) {
    this.#socket = socket
    this.#ref = ref
    this.#gate = gate
    this.#resumeHashes = [...resumeHashes]
  }

  seated(seat: number | null): void {
    this.#seat = seat
  }

  /** A process that ends before its welcome has used no hash: nobody has the token. */
  nextResumeHash(): string {
    // Two processes have welcomed the client since its own runner said anything: this welcome cannot be resumed.
    return this.#resumeHashes[0] ?? ""
  }

  welcome({ resume: _resume, ...told }: ToldWelcome): number {
    if (this.#ended) return 0
    if (this.#resumeHashes.shift() === undefined) {
      this.#letGo(CloseCodes.restarting)
      return 0
    }
    this.#socket.send(LinkKind.welcome, this.#ref, remoteWelcome.pack(told))
    // Its own runner counts it.
    return 0
  }

  refuse({ code, message }: { readonly code: string; readonly message: string }): void {
    this.#ended = true
    this.#socket.send(LinkKind.refuse, this.#ref, remoteRefusal.pack({ code, message }))
  }

  write(frame: Uint8Array): boolean {
    if (this.#ended) return false
    const waiting = this.#onTheirWay
    // One frame is always on its way, however long it is.
    if (waiting > 0 && waiting + frame.length > LinkLimits.linkCreditBytes.max) {
      this.#letGo(CloseCodes.slowConsumer)
      return false
    }
    this.#onTheirWay = waiting + frame.length
    this.#socket.share(this.#ref, frame)
    // Its own runner counts it once the client's connection has taken it.
    return false
  }

  close({ code, reason }: { readonly code: number; readonly reason: string }): void {
    this.#ended = true
    this.#socket.send(LinkKind.close, this.#ref, remoteClose.pack({ code, reason }))
  }

  hold(held: () => void): void {
    if (this.#ended) return held()
    this.#tellHeld = held
    this.#socket.send(LinkKind.hold, this.#ref)
  }

  held(): void {
    this.#held = true
    this.#heldOrGone()
  }

  #heldOrGone(): void {
    this.#tellHeld?.()
    this.#tellHeld = null
  }

  moved(): void {
    // What its runner has sent since the last frame that the room took is lost: the client has to know.
    if (!this.#held) return this.close(movedAway)
    this.#ended = true
    this.#socket.send(LinkKind.moved, this.#ref)
  }

  /** The client goes, and the room hears of it. */
  #letGo({ code, name }: { readonly code: number; readonly name: string }): void {
    this.close({ code, reason: name })
    if (this.#seat !== null) this.#gate.exit(this.#seat, false)
    this.#heldOrGone()
  }

  get served(): boolean {
    return this.#ended || this.#seat === null || this.#gate.serves(this.#seat)
  }

  orphaned(): void {
    this.#letGo(CloseCodes.restarting)
  }

  data(frame: Buffer): void {
    if (frame.length > FrameLimits.frameBytes.max)
      throw new LinkFault("no client sends so long a frame")
    if (!this.#ended && this.#seat !== null) this.#gate.data(this.#seat, frame)
  }

  chat(line: Buffer): void {
    if (line.length > ConnectionLimits.chatBytes.max) throw new LinkFault("no chat line is so long")
    if (!this.#ended && this.#seat !== null) this.#gate.chat(this.#seat, line.toString())
  }

  voice(frame: Buffer): void {
    if (frame.length > FrameLimits.frameBytes.max)
      throw new LinkFault("no client sends so long a frame")
    if (!this.#ended && this.#seat !== null) this.#gate.voice(this.#seat, frame)
  }

  counted(counts: {
    readonly taken: number
    readonly received: number
    readonly sent: number
  }): void {
    this.#onTheirWay = Math.max(0, this.#onTheirWay - counts.taken)
    const seat = this.#seat ?? 0
    this.#gate.received(counts.received, seat)
    this.#gate.sent(counts.taken + counts.sent, seat)
  }

  hashed(hash: string): void {
    if (this.#resumeHashes.length >= tokensKnown) throw new LinkFault("too many resume tokens")
    this.#resumeHashes.push(hash)
  }

  exit(consented: boolean): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#seat !== null) this.#gate.exit(this.#seat, consented)
    this.#heldOrGone()
  }
}

const movedAway = { code: CloseCodes.restarting.code, reason: CloseCodes.restarting.name }
