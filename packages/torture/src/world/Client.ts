import type { AwakeRoom } from "./AwakeRoom.ts"
import { joined } from "./Pauses.ts"
import type { ClientSink, RoomGate } from "./RoomGate.ts"
import type { PlayFrame } from "./RoomProcess.ts"
import { projectOf } from "./Store.ts"
import { Failure, type Group, type Work } from "./Work.ts"
import type { World } from "./World.ts"

/** Attempts to enter a room that goes to sleep just as a client arrives. See RoomRouter.ts of api. */
const entries = 3

interface Seat {
  readonly key: string
  readonly gate: RoomGate
  readonly ref: number
}

/** Somebody who plays: in no room, on the way into one, or in one. */
export class Client implements ClientSink {
  readonly #world: World
  readonly #group: Group
  #joining = false
  #seat: Seat | null = null
  /** How the last join ended: welcome, or a code. */
  lastAnswer: string | null = null
  /** The last of its writes that it was told to be stored. */
  acknowledged: number | null = null

  constructor(world: World, group: Group) {
    this.#world = world
    this.#group = group
  }

  get idle(): boolean {
    return !this.#joining && this.#seat === null
  }

  get joining(): boolean {
    return this.#joining
  }

  get room(): string | null {
    return this.#seat?.key ?? null
  }

  welcome(): void {
    this.lastAnswer = "welcome"
  }

  answered(write: number, stored: boolean): void {
    const seat = this.#seat
    if (seat === null || !stored) return
    this.acknowledged = write
    this.#world.witness.acknowledged(seat.key, write)
  }

  close(code: string): void {
    this.lastAnswer = code
    this.#seat = null
  }

  /** Through the router; see `enter` in RoomRouter.ts of api. */
  join(key: string, type: string | null): void {
    this.#joining = true
    this.#world.fork(this.#group, this.#enter(key, type))
  }

  *#enter(key: string, type: string | null): Work<void> {
    try {
      this.lastAnswer = yield* joined(this.#world, this.#group, this.#entered(key, type))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      this.lastAnswer = error.tag === "Timeout" ? "E_TENANT_WAKING" : error.tag
    }
    this.#joining = false
  }

  *#entered(key: string, type: string | null): Work<string> {
    const { cluster, chance } = this.#world
    const { runners } = cluster
    const router = runners.length === 0 ? null : chance.pick(runners)
    let room = upHere(router?.awake.get(key), type)
    for (let attempt = 0; attempt < entries; attempt++) {
      if (room === null || attempt > 0) {
        const { at } = yield* cluster.onRoom(router, key, (it) => it.wake(type, type !== null))
        // Frames go to the runner that holds the room's server.
        const id = `${projectOf(key)}/${at.serverIndex}`
        const server = cluster.servers.find((one) => one.id === id)
        room = upHere(server?.runner.awake.get(key), null)
      }
      const ref = room?.gate.enter(this) ?? null
      if (room === null || ref === null) continue
      this.#seat = { key, gate: room.gate, ref }
      return "seated"
    }
    throw new Failure("E_TENANT_WAKING", "the room is going to sleep")
  }

  play(frame: PlayFrame): void {
    this.#seat?.gate.data(this.#seat.ref, frame)
  }

  /** Goes, or loses its connection. */
  leave(consented: boolean): void {
    const seat = this.#seat
    this.#seat = null
    seat?.gate.exit(seat.ref, consented)
  }
}

/** `roomUp` in RoomRouter.ts. */
const upHere = (room: AwakeRoom | undefined, type: string | null): AwakeRoom | null => {
  const incarnation = room?.incarnation ?? null
  if (room === undefined || incarnation === null) return null
  return type === null || type === incarnation.order.type ? room : null
}
