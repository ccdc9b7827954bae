import { step as stepRoom } from "@atrium/actors/rooms/RoomMachine"
import type { RoomEvent, RoomState, Step } from "@atrium/actors/rooms/RoomState"
import { step as stepSnapshot } from "@atrium/actors/rooms/SnapshotMachine"
import type { SnapshotEvent, SnapshotState } from "@atrium/actors/rooms/SnapshotMachine"
import { step as stepServer } from "@atrium/actors/servers/ServerMachine"
import type { ServerEvent, ServerState } from "@atrium/actors/servers/ServerMachine"
import type { Tier } from "@atrium/domain/meters/Caps"

import { Chance } from "../fuzz/Chance.ts"
import { Cluster } from "./Cluster.ts"
import { Coverage } from "./Coverage.ts"
import { Faults } from "./Faults.ts"
import { makeLimiter, type MakeLimiter } from "./Limiters.ts"
import { type RelayParts, relayParts } from "./Relay.ts"
import type { RoomProcess } from "./RoomProcess.ts"
import type { ServerActor } from "./ServerActor.ts"
import { Store } from "./Store.ts"
import { StoreDoor } from "./StoreDoor.ts"
import { Timeline } from "./Timeline.ts"
import { Trace } from "./Trace.ts"
import { Witness } from "./Witness.ts"
import { Failure, Fiber, type Group, type Work } from "./Work.ts"

/** What a world is made of: the product's machines, or ones that are wrong on purpose. */
export interface Parts {
  readonly stepRoom: typeof stepRoom
  readonly stepServer: typeof stepServer
  readonly stepSnapshot: typeof stepSnapshot
  readonly nextEpoch: (last: number) => number
  /** Whether a write under an epoch passes when the room's row has this one. */
  readonly isFenceOpen: (row: number | null, epoch: number) => boolean
  readonly makeLimiter: MakeLimiter
  readonly relay: RelayParts
}

export const rightParts: Parts = {
  stepRoom,
  stepServer,
  stepSnapshot,
  nextEpoch: (last) => last + 1,
  isFenceOpen: (row, epoch) => row === epoch,
  makeLimiter,
  relay: relayParts
}

/** Rooms of several projects, who plays in them, what holds them, and what is stored of them. */
export class World {
  readonly timeline = new Timeline()
  readonly coverage = new Coverage()
  readonly trace = new Trace(this.timeline)
  readonly plans = new Map<string, Tier>()
  /** Projects whose data-out wall holds. */
  readonly walled = new Set<string>()
  readonly processes = new Processes()
  readonly witness: Witness
  readonly chance: Chance
  readonly faults: Faults
  readonly door: StoreDoor
  readonly store: Store
  readonly cluster: Cluster
  readonly #parts: Parts

  constructor(seed: number, parts: Parts, runners: number) {
    this.#parts = parts
    this.chance = Chance.of(seed, "weather", 0)
    this.faults = new Faults(Chance.of(seed, "faults", 0))
    this.door = new StoreDoor(this.timeline, this.chance)
    this.witness = new Witness(this)
    this.store = new Store({
      timeline: this.timeline,
      door: this.door,
      witness: this.witness,
      nextEpoch: parts.nextEpoch,
      isFenceOpen: parts.isFenceOpen
    })
    this.cluster = new Cluster(this, runners)
  }

  fork<A>(group: Group, work: Work<A>): Fiber<A> {
    return new Fiber(this.timeline, group, work)
  }

  /** A failure that the shell only logs. */
  *orFailed(work: Work<unknown>): Work<void> {
    try {
      yield* work
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }

  stepRoom(key: string, before: RoomState, event: RoomEvent): Step {
    const taken = this.#parts.stepRoom(before, event)
    const [after, actions] = taken
    this.trace.room(key, event, { before, after, actions })
    this.coverage.reached("room state", after._tag)
    this.coverage.reached("room event", event._tag)
    this.coverage.reached("room transition", `${before._tag} x ${event._tag}`)
    for (const action of actions) {
      this.coverage.reached("room action", action._tag)
      if (action._tag === "Refuse") this.coverage.reached("room refusal", action.code)
    }
    this.witness.roomStepped({ key, before, event, after, actions })
    return taken
  }

  stepServer(server: ServerActor, before: ServerState, event: ServerEvent) {
    const taken = this.#parts.stepServer(before, event)
    const [after, actions] = taken
    this.coverage.reached("server event", event._tag)
    for (const action of actions) this.coverage.reached("server action", action._tag)
    if (event._tag !== "MemorySampled") this.trace.server(server.id, event, actions)
    this.witness.serverStepped({ server, before, event, after, actions })
    return taken
  }

  stepSnapshot(before: SnapshotState, event: SnapshotEvent) {
    const taken = this.#parts.stepSnapshot(before, event)
    this.coverage.reached("snapshot event", event._tag)
    for (const action of taken[1]) {
      this.coverage.reached("snapshot action", action._tag)
      if (action._tag === "Request") this.coverage.reached("snapshot cause", action.cause)
    }
    return taken
  }
}

/** The room processes of a world. */
class Processes {
  readonly #running = new Map<string, Set<RoomProcess>>()

  add(key: string, process: RoomProcess): void {
    const known = this.#running.get(key) ?? new Set<RoomProcess>()
    for (const other of known) if (!other.running) known.delete(other)
    known.add(process)
    this.#running.set(key, known)
  }

  of(key: string): ReadonlyArray<RoomProcess> {
    return [...(this.#running.get(key) ?? [])].filter(({ running }) => running)
  }

  get all(): ReadonlyArray<readonly [string, RoomProcess]> {
    return [...this.#running.keys()].flatMap((key) =>
      this.of(key).map((process): readonly [string, RoomProcess] => [key, process])
    )
  }
}
