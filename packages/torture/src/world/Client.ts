import {
  answerIn,
  frameOf,
  type PlayAnswer,
  type PlayFrame
} from "@atrium/actors/process/testing/MemoryRoomProcess"
import type { ClientGate, ToldWelcome } from "@atrium/actors/rooms/ClientGate"
import type { Watched } from "@atrium/api/router/OrphanSockets"
import type { JoiningClient } from "@atrium/api/router/RemoteJoin"
import { enterRoom } from "@atrium/api/router/RoomJoin"
import { roomKeyOf } from "@atrium/domain/shared/Ids"
import { packVoiceAsk, readVoiceTold, type VoiceAsk } from "@atrium/wire/voice/VoiceFrames"
import { Deferred, Effect } from "effect"

import { isRelayRoom } from "./Deployments.ts"
import type { Runner } from "./Runner.ts"
import { Violation } from "./Violation.ts"
import { isVoiceFrame } from "./VoiceFrame.ts"
import type { World } from "./World.ts"

/** A client gives up a join that takes longer. */
const patienceMs = 30_000
const networkMsMax = 20
const comeBackMsMax = 1000

/** The message of the room's shell when its machine left a call without an answer. */
const unanswered = "the room's actor has no answer"

interface Seat {
  readonly gate: ClientGate
  readonly ref: number
}

interface Wanted {
  readonly room: string
  /** The runner that the client has reached; its room may be awake on another one. */
  readonly runner: Runner
}

/** One connection of a client on its entry runner, as the router of api has it. */
class Socket implements JoiningClient, Watched {
  readonly room: string
  readonly runner: Runner
  readonly welcomed = Deferred.makeUnsafe<void>()
  readonly #client: Client
  #seat: Seat | null = null
  /** Its session in the room; `null` = it was not welcomed yet. */
  session: string | null = null
  ended = false
  /** It is in the call of its room, as far as it was told. */
  inCall = false

  constructor(client: Client, { room, runner }: Wanted) {
    this.#client = client
    this.room = room
    this.runner = runner
    runner.sockets.add(this)
    // The kernel of a runner that dies ends its connections.
    runner.host.onDeath(() => client.reset(this))
  }

  get seated(): boolean {
    return this.#seat !== null
  }

  /** The room is on another runner. */
  get forwarded(): boolean {
    return this.#seat !== null && "forwarding" in this.#seat.gate
  }

  describe(): void {}

  seat(gate: ClientGate, ref: number): boolean {
    if (this.ended) return false
    this.#seat = { gate, ref }
    return true
  }

  nextResumeHash(): string {
    return "hash"
  }

  welcome({ sessionId }: ToldWelcome): number {
    if (this.ended) return 0
    this.session = sessionId
    Deferred.doneUnsafe(this.welcomed, Effect.void)
    this.#client.lastAnswer = "welcome"
    return 1
  }

  refuse({ code, message }: { readonly code: string; readonly message: string }): void {
    if (message === unanswered) this.#client.finds(new Violation("answers", noAnswer(this.room)))
    this.#close(code)
  }

  write(frame: Uint8Array): boolean {
    if (isVoiceFrame(frame)) return this.#calls(frame)
    if (!this.ended && !isRelayRoom(this.room)) this.#client.answered(this.room, answerIn(frame))
    return !this.ended
  }

  #calls(frame: Uint8Array): boolean {
    const told = readVoiceTold(frame)?._tag
    if (told === "joined") this.inCall = true
    if (told === "refused" || told === "ended") this.inCall = false
    if (told === "ended" && !this.ended) this.#client.callEnded(this)
    return !this.ended
  }

  close({ code }: { readonly code: number }): void {
    this.#close(String(code))
  }

  hold(held: () => void): void {
    held()
  }

  /** It comes back as after any other end: clients of the world see no pause. */
  moved(): void {
    this.#close("1012")
  }

  readonly leftForGood = false

  holdBack(): void {}

  get served(): boolean {
    return this.#seat === null || this.#seat.gate.serves(this.#seat.ref)
  }

  orphaned(): void {
    this.#client.finds(new Violation("orphan", `nobody serves a socket in ${this.room}`))
  }

  #close(because: string): void {
    if (this.ended) return
    this.left(false)
    this.#client.closed(this, because)
  }

  /** The connection has ended, on its runner. */
  left(consented: boolean): void {
    this.ended = true
    this.runner.sockets.delete(this)
    this.#seat?.gate.exit(this.#seat.ref, consented)
  }

  data(frame: Uint8Array): void {
    if (!this.ended) this.#seat?.gate.data(this.#seat.ref, frame)
  }

  voice(frame: Uint8Array): void {
    if (!this.ended) this.#seat?.gate.voice(this.#seat.ref, frame)
  }
}

const noAnswer = (room: string): string => `a wake of ${room} has no answer`

/** No limit of an address counts in a world. */
const admission = {
  caller: { text: "", subject: "", exempt: true },
  door: { wake: () => true, woken: () => undefined, isElsewhere: () => undefined }
}

/** Somebody who plays: in no room, on the way into one, or in one. */
export class Client {
  readonly playerId: string
  readonly #world: World
  #join = 0
  #joining = false
  #socket: Socket | null = null
  /** How the last join ended: welcome, or a code. */
  lastAnswer: string | null = null
  /** The last of its writes that it was told to be stored. */
  acknowledged: number | null = null
  /** The last of its writes that a room answered without a word about storing it. */
  heard: number | null = null

  constructor(world: World, playerId: string) {
    this.#world = world
    this.playerId = playerId
  }

  get idle(): boolean {
    return !this.#joining && this.#socket === null
  }

  get joining(): boolean {
    return this.#joining
  }

  /** Its connection in a room; `null` = it has no seat. */
  get seat(): Pick<Socket, "room" | "runner" | "session" | "forwarded"> | null {
    return this.#socket?.seated === true ? this.#socket : null
  }

  get room(): string | null {
    return this.seat?.room ?? null
  }

  /** It is in a room that answers its frames. */
  get plays(): boolean {
    return this.room !== null && !isRelayRoom(this.room)
  }

  finds(violation: Violation): void {
    this.#world.checked(() => {
      throw violation
    })
  }

  answered(room: string, answer: PlayAnswer): void {
    if ("call" in answer) {
      const next = this.#world.games.answered(answer)
      if (next !== null) this.play(next)
      return
    }
    const { write, stored } = answer
    if (stored === null) {
      this.heard = write
      this.#world.checked(() => this.#world.plain.heard(room, write))
    }
    if (stored !== true) return
    this.acknowledged = write
    this.#world.witness.acknowledged(room, write)
  }

  closed(socket: Socket, because: string): void {
    if (this.#socket !== socket) return
    const { seated, room } = socket
    this.#world.trace.note(`${seated ? room : "a join"}  a client is let go: ${because}`)
    this.lastAnswer = because
    this.#socket = null
    if (seated && !this.#world.calm) this.#comeBack(room)
  }

  /** The runner of the connection has died. */
  reset(socket: Socket): void {
    const { outside, chance } = this.#world
    if (!socket.ended) {
      outside.after(chance.below(networkMsMax), () => {
        if (!socket.ended) this.closed(socket, "reset")
        socket.ended = true
      })
    }
  }

  /** As the client library does, soon and by itself. */
  #comeBack(room: string): void {
    const { outside, chance } = this.#world
    outside.after(chance.below(comeBackMsMax), () => {
      if (this.idle && !this.#world.calm) this.join(room, null)
    })
  }

  /** Through any runner, as behind a load balancer. */
  join(room: string, type: string | null, at?: Runner): void {
    const { open, chance } = this.#world
    this.lastAnswer = null
    const runner = at ?? (open.length === 0 ? null : chance.pick(open))
    if (runner === null) {
      this.lastAnswer = "E_TENANT_WAKING"
      return
    }
    const join = ++this.#join
    this.#joining = true
    const socket = new Socket(this, { room, runner })
    this.#socket = socket
    this.#world.outside.after(patienceMs, () => this.#giveUp(join, socket))
    runner.run(this.#entering(socket, type), () => this.#over(join, "the runner has died"))
  }

  #entering(socket: Socket, type: string | null) {
    const { timeline } = this.#world
    const key = roomKeyOf(socket.room)
    const claims = {
      playerId: this.playerId,
      name: null,
      role: "player",
      identityId: null,
      match: null,
      test: false
    }
    const hello = { token: "", type, schemaHash: null, resume: null, options: null }
    const { welcomed } = socket
    return enterRoom(
      {
        admission: { ...admission, nowMs: () => timeline.nowMs },
        connection: socket,
        target: key,
        welcomed
      },
      { key, hello, claims }
    )
  }

  #over(join: number, answer: string): void {
    if (!this.#joining || join !== this.#join) return
    this.#joining = false
    this.lastAnswer ??= answer
  }

  #giveUp(join: number, socket: Socket): void {
    if (!this.#joining || join !== this.#join) return
    this.#over(join, "E_TENANT_WAKING")
    this.#leave(socket, false)
  }

  play(frame: PlayFrame): void {
    const socket = this.#socket
    if (socket === null || !this.plays) return
    socket.runner.host.after(0, () => socket.data(frameOf(frame)))
  }

  /** It is in the call of its room. */
  get talks(): boolean {
    return this.#socket?.inCall === true
  }

  /** Joins the call of its room. */
  talk(): void {
    this.#asks({ _tag: "join", offer: "offer" })
  }

  /** Leaves the call; the room goes on. */
  hangUp(): void {
    if (this.#socket !== null) this.#socket.inCall = false
    this.#asks({ _tag: "leave" })
  }

  #asks(ask: VoiceAsk): void {
    const socket = this.#socket
    if (socket === null || !this.plays) return
    socket.runner.host.after(0, () => socket.voice(packVoiceAsk(ask)))
  }

  /** As the client library does, it joins again. */
  callEnded(socket: Socket): void {
    const { outside, chance } = this.#world
    outside.after(chance.below(comeBackMsMax), () => {
      if (this.#socket === socket && !this.#world.calm) this.talk()
    })
  }

  /** Goes, or loses its connection. */
  leave(consented: boolean): void {
    if (this.#socket?.seated === true) this.#leave(this.#socket, consented)
  }

  #leave(socket: Socket, consented: boolean): void {
    if (this.#socket === socket) this.#socket = null
    this.#joining = false
    socket.runner.host.after(0, () => {
      if (!socket.ended) socket.left(consented)
    })
  }
}
