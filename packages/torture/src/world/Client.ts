import { answerIn, frameOf, type PlayFrame } from "@atrium/actors/process/testing/MemoryRoomProcess"
import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import type { ClientSink, RoomGate } from "@atrium/actors/rooms/RoomGate"
import { RoomActor } from "@atrium/actors/rooms/RoomProtocol"
import { roomKeyOf } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect } from "effect"

import { isRelayRoom } from "./Deployments.ts"
import type { Runner } from "./Runner.ts"
import { Violation } from "./Violation.ts"
import type { World } from "./World.ts"

/** Attempts to enter a room that goes to sleep just as a client arrives. See RoomJoin.ts of api. */
const entries = 3
/** A client gives up a join that takes longer. */
const patienceMs = 30_000
const networkMsMax = 20
const comeBackMsMax = 1000

interface Seat {
  readonly room: string
  readonly runner: Runner
  readonly gate: RoomGate
  readonly ref: number
}

/** Where a join has led: to a seat, to another runner, or to a code. */
type Entered = Pick<Seat, "gate" | "ref"> | "elsewhere" | string

/** One connection of a client, as the gate sees it. */
class Socket implements ClientSink {
  readonly #client: Client
  readonly #room: string
  ended = false

  constructor(client: Client, room: string) {
    this.#client = client
    this.#room = room
  }

  nextResumeHash(): string {
    return "hash"
  }

  welcome(): number {
    if (!this.ended) this.#client.lastAnswer = "welcome"
    return 1
  }

  refuse({ code }: { readonly code: string }): void {
    this.#end(code)
  }

  write(frame: Uint8Array): boolean {
    if (!this.ended && !isRelayRoom(this.#room)) this.#client.answered(this.#room, answerIn(frame))
    return true
  }

  close({ code }: { readonly code: number }): void {
    this.#end(String(code))
  }

  #end(because: string): void {
    if (!this.ended) this.#client.closed(because)
    this.ended = true
  }
}

/** Somebody who plays: in no room, on the way into one, or in one. */
export class Client {
  readonly #world: World
  #join = 0
  #joining = false
  #seat: Seat | null = null
  #socket: Socket | null = null
  /** How the last join ended: welcome, or a code. */
  lastAnswer: string | null = null
  /** The last of its writes that it was told to be stored. */
  acknowledged: number | null = null

  constructor(world: World) {
    this.#world = world
  }

  get idle(): boolean {
    return !this.#joining && this.#seat === null
  }

  get joining(): boolean {
    return this.#joining
  }

  get room(): string | null {
    return this.#seat?.room ?? null
  }

  /** It is in a room that answers its frames. */
  get plays(): boolean {
    return this.#seat !== null && !isRelayRoom(this.#seat.room)
  }

  answered(room: string, { write, stored }: { readonly write: number; readonly stored: boolean }) {
    if (!stored) return
    this.acknowledged = write
    this.#world.witness.acknowledged(room, write)
  }

  closed(because: string): void {
    this.#world.trace.note(`${this.#seat?.room ?? "a join"}  a client is let go: ${because}`)
    const room = this.#seat?.room ?? null
    this.lastAnswer = because
    this.#seat = null
    this.#socket = null
    if (room !== null && !this.#world.calm) this.#comeBack(room)
  }

  /** As the client library does, soon and by itself. */
  #comeBack(room: string): void {
    const { outside, chance } = this.#world
    outside.after(chance.below(comeBackMsMax), () => {
      if (this.idle && !this.#world.calm) this.join(room, null)
    })
  }

  /** Through one runner after the other, until one has the room. */
  join(room: string, type: string | null): void {
    this.#joining = true
    const join = ++this.#join
    this.lastAnswer = null
    this.#world.outside.after(patienceMs, () => this.#over(join, "E_TENANT_WAKING"))
    const { open, chance } = this.#world
    const first = open.length === 0 ? 0 : chance.below(open.length)
    this.#ask(join, { room, type, left: [...open.slice(first), ...open.slice(0, first)] })
  }

  #over(join: number, answer: string): void {
    if (!this.#joining || join !== this.#join) return
    this.#joining = false
    this.lastAnswer ??= answer
    if (this.#seat === null) this.lastAnswer = answer
  }

  #ask(
    join: number,
    at: {
      readonly room: string
      readonly type: string | null
      readonly left: ReadonlyArray<Runner>
    }
  ): void {
    const { room, type, left } = at
    const [runner, ...others] = left
    if (runner === undefined) return this.#over(join, "E_TENANT_WAKING")
    const socket = new Socket(this, room)
    const wanted = (): boolean => this.#joining && join === this.#join
    runner.run(enter({ room, type, socket, wanted }), (exit) => {
      if (!wanted()) return
      const answer: Entered = exit?._tag === "Success" ? exit.value : "E_TENANT_WAKING"
      if (answer === unanswered) this.#world.checked(() => noAnswer(room))
      if (answer === "elsewhere") return this.#ask(join, { room, type, left: others })
      if (typeof answer === "string") return this.#over(join, answer)
      this.#sits(socket, { ...answer, room, runner })
      this.#over(join, "seated")
    })
  }

  #sits(socket: Socket, seat: Seat): void {
    if (socket.ended) return
    this.#seat = seat
    this.#socket = socket
    // The kernel of a runner that dies ends its connections.
    seat.runner.host.onDeath(() => {
      this.#world.outside.after(this.#world.chance.below(networkMsMax), () => {
        if (!socket.ended) this.closed("reset")
        socket.ended = true
      })
    })
  }

  play(frame: PlayFrame): void {
    const seat = this.#seat
    if (seat === null || isRelayRoom(seat.room)) return
    seat.runner.host.after(0, () => seat.gate.data(seat.ref, frameOf(frame)))
  }

  /** Goes, or loses its connection. */
  leave(consented: boolean): void {
    const seat = this.#seat
    if (this.#socket !== null) this.#socket.ended = true
    this.#seat = null
    this.#socket = null
    seat?.runner.host.after(0, () => seat.gate.exit(seat.ref, consented))
  }
}

interface Entering {
  readonly room: string
  readonly type: string | null
  readonly socket: Socket
  /** The client has not given up. */
  wanted(): boolean
}

/** `enter` in RoomJoin.ts of api, without credentials and limits. */
const enter = ({ room, type, socket, wanted }: Entering) =>
  Effect.gen(function* () {
    const key = roomKeyOf(room)
    const awake = yield* AwakeRooms
    const actorOf = yield* RoomActor.client
    const wake = actorOf(room)
      .Wake({ type, create: type !== null })
      .pipe(Effect.timeout(ServiceLimits.actorCall.ms))
    for (let attempt = 0; attempt < entries; attempt++) {
      const up = attempt === 0 ? roomUp(awake.find(key), type) : null
      if (up === null) yield* wake
      const entered = up ?? roomUp(awake.find(key), null)
      if (entered === null) return "elsewhere"
      if (!wanted()) return "E_TENANT_WAKING"
      const ref = entered.gate.enter(socket, {
        sessionId: "session",
        playerId: "player",
        name: null,
        role: "player",
        options: null,
        resumeHash: null,
        player: null
      })
      if (ref !== null) return { gate: entered.gate, ref }
    }
    return "E_TENANT_WAKING"
  }).pipe(
    Effect.catch(({ _tag, message }): Effect.Effect<Entered> => {
      if (message === unanswered) return Effect.succeed(unanswered)
      return Effect.succeed(_tag.startsWith("E_") ? _tag : "E_TENANT_WAKING")
    })
  )

/** The message of the room's shell when its machine left a call without an answer. */
const unanswered = "the room's actor has no answer"

const noAnswer = (room: string): never => {
  throw new Violation("answers", `a wake of ${room} has no answer`)
}

const roomUp = (room: AwakeRoom | undefined, type: string | null): AwakeRoom | null => {
  const incarnation = room?.incarnation() ?? null
  if (room === undefined || incarnation === null) return null
  return type === null || type === incarnation.order.type ? room : null
}
