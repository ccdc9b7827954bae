import { step } from "@atrium/actors/rooms/RoomMachine"
import {
  placeOf,
  type RoomAction,
  RoomEvent,
  type RoomKind,
  RoomState
} from "@atrium/actors/rooms/RoomState"
import type { CapWall, Meter } from "@atrium/domain/meters/Caps"

import type { LimitName } from "../Refusals.ts"
import { wallOf } from "../Refusals.ts"
import type { Servers } from "./Servers.ts"

/** How a room goes down: as the service says it to its machine. */
export type Ending = "empty" | "redeploy" | "dataOut" | "killed"

export interface Room {
  state: RoomState
  /** Its name for the servers: of two rooms in one place the later has another. */
  name: string
  players: number
  /** Players who were dropped and may come back. */
  awaited: number
  /** The first of its sessions; -1 = none. */
  firstSession: number
  emptySinceMs: number
  wokeAtMs: number
  lastActiveMs: number
  generations: number
  storedBytes: number
  /** Its place in the list is free for another. */
  forgotten: boolean
  readonly use: RoomUse
}

/**
 * `open` = whoever comes may be put into it; `matched` = of those whom the queue put together; `named` =
 * of players who come back to it; `runaway` = of nobody.
 */
export type RoomUse = "open" | "matched" | "named" | "runaway"

/**
 * Rooms, each one a RoomMachine of the service. What the machine orders happens here at once: a start
 * takes no time in a plan, its wait is reckoned apart.
 */
export class RoomPool {
  readonly #servers: Servers
  readonly #kind: RoomKind
  readonly #rooms: Array<Room> = []
  readonly #free: Array<number> = []
  readonly #refusalsOfNew = new Map<Meter, LimitName | null>()
  #named = 0
  #epoch = 0
  version = 1

  constructor(servers: Servers, kind: RoomKind) {
    this.#servers = servers
    this.#kind = kind
  }

  at(room: number): Room {
    // Rooms are named by who made them.
    return this.#rooms[room] as Room
  }

  get size(): number {
    return this.#rooms.length
  }

  make(use: RoomUse): number {
    const room: Room = {
      state: RoomState.Absent(),
      name: `r${++this.#named}`,
      players: 0,
      awaited: 0,
      firstSession: -1,
      emptySinceMs: 0,
      wokeAtMs: 0,
      lastActiveMs: 0,
      generations: 0,
      storedBytes: 0,
      forgotten: false,
      use
    }
    const at = this.#free.pop() ?? this.#rooms.length
    this.#rooms[at] = room
    return at
  }

  /** Nobody comes back to the room: its place in this list is another's. What it stored stays. */
  forget(at: number): void {
    const room = this.at(at)
    if (!room.forgotten) this.#free.push(at)
    room.forgotten = true
  }

  isAwake(room: number): boolean {
    return this.at(room).state._tag === "Awake"
  }

  serverOf(room: number): number {
    return placeOf(this.at(room).state)?.serverIndex ?? 0
  }

  /**
   * What a new room is told while a wall stands. The machine's answer is the same for each of them, so it
   * is asked once for a wall.
   */
  refusalOfNew(wall: CapWall): LimitName | null {
    const known = this.#refusalsOfNew.get(wall.meter)
    if (known !== undefined) return known
    const at = this.make("open")
    const refused = this.wake(at, wall)
    this.forget(at)
    this.#refusalsOfNew.set(wall.meter, refused)
    return refused
  }

  /** Starts or wakes a room. @returns the limit that refused it; `null` = it is up */
  wake(at: number, wall: CapWall | null): LimitName | null {
    const room = this.at(at)
    const kind = { ...this.#kind, version: this.version }
    const asked = RoomEvent.WakeAsked({ type: kind.type, kind, wall, create: true })
    const pending: Array<RoomEvent> = [asked]
    const without = new Set<number>()
    for (let event = pending.shift(); event !== undefined; event = pending.shift()) {
      const [state, actions] = step(room.state, event)
      room.state = state
      for (const action of actions) {
        if (action._tag === "Answer") return null
        if (action._tag === "Refuse") {
          return action.code === "E_CAP_REACHED" && wall !== null
            ? wallOf[wall.meter]
            : "serversFull"
        }
        const outcome = this.#perform(room, action, without)
        if (outcome === "nowhere") {
          room.state = room.generations > 0 ? this.#asleep() : RoomState.Absent()
          return "serversFull"
        }
        if (outcome !== null) pending.push(outcome)
      }
    }
    return "serversFull"
  }

  /** Puts an awake room away, or lets its runner die under it. */
  end(at: number, ending: Ending): void {
    const room = this.at(at)
    const place = placeOf(room.state)
    if (place === null) return
    const { epoch, serverIndex } = place
    switch (ending) {
      case "empty":
        this.#say(room, RoomEvent.DrainAsked({ epoch, serverIndex, reason: "empty" }))
        break
      case "redeploy":
        this.#say(room, RoomEvent.VersionDeployed({ version: this.version }))
        break
      case "dataOut":
        this.#say(room, RoomEvent.StopAsked({ reason: "dataOut" }))
        break
      case "killed":
        this.#say(room, RoomEvent.Revived({ held: false }))
        break
    }
    this.#say(room, RoomEvent.Drained({ epoch, clientsBack: false, entered: true }))
    this.#servers.gone(serverIndex, { roomId: room.name, epoch })
  }

  /** The sweep has removed what a room had stored. */
  remove(at: number): void {
    const room = this.at(at)
    room.state = RoomState.Absent()
    room.generations = 0
    room.storedBytes = 0
  }

  #say(room: Room, event: RoomEvent): void {
    const [state] = step(room.state, event)
    room.state = state
  }

  #asleep(): RoomState {
    return RoomState.Hibernated({ type: this.#kind.type })
  }

  /** What comes of an action; `nowhere` = no server is left to ask. */
  #perform(room: Room, action: RoomAction, without: Set<number>): RoomEvent | "nowhere" | null {
    switch (action._tag) {
      case "ClaimPlace": {
        const serverIndex = this.#servers.choose(without)
        if (serverIndex === null) return "nowhere"
        return RoomEvent.Placed({ epoch: ++this.#epoch, serverIndex })
      }
      case "StartRoom": {
        const { epoch, serverIndex } = action.at
        const answer = this.#servers.admit(serverIndex, { roomId: room.name, epoch })
        if (answer === "admitted") return RoomEvent.Started({ epoch, slot: 0 })
        if (answer === "refused") {
          return RoomEvent.ServerWaking({ epoch, message: "the server takes no rooms now" })
        }
        without.add(serverIndex)
        return RoomEvent.ServerFull({ epoch, next: this.#servers.choose(without) })
      }
      default:
        return null
    }
  }
}
