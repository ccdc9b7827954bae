import type { Incarnation, RoomAction, RoomEvent, RoomState } from "@atrium/actors/rooms/RoomState"
import type { ServerAction, ServerEvent, ServerState } from "@atrium/actors/servers/ServerMachine"

import { BudgetReference } from "./BudgetReference.ts"
import type { RoomAnswer } from "./RoomActor.ts"
import type { ServerActor } from "./ServerActor.ts"
import type { StoreWitness } from "./Store.ts"
import { newestSnapshot, type PlayState } from "./StoredRoom.ts"
import { Violation } from "./Violation.ts"
import type { World } from "./World.ts"

/** What the clients of one room were promised, and which incarnations it has had. */
interface Promised {
  /** Writes that a durable call has acknowledged and that nothing has taken back since. */
  readonly writes: Set<number>
  /** The newest epoch under which the room's state was read to be played. */
  loadedEpoch: number
  /** The newest epoch that its machine was given. */
  claimedEpoch: number
  /** Saves that a restore was queued for. */
  readonly restores: Set<string>
  /** When its processes died, since it was started or its actor began anew. */
  deathsMs: Array<number>
  /** How often all of its state was removed or replaced, and when each write was stored by that count. */
  lives: number
  readonly storedIn: Map<number, number>
}

export interface RoomStepped {
  readonly key: string
  readonly before: RoomState
  readonly event: RoomEvent
  readonly after: RoomState
  readonly actions: ReadonlyArray<RoomAction>
}

export interface ServerStepped {
  readonly server: ServerActor
  readonly before: ServerState
  readonly event: ServerEvent
  readonly after: ServerState
  readonly actions: ReadonlyArray<ServerAction>
}

interface Asked {
  readonly key: string
  /** Which of the actor's calls. */
  readonly rule: string
  readonly event: RoomEvent
}

/** What each call may be refused with. Source: spec, Endpoints; docs/protocol.md. */
const knownRefusals: Readonly<Record<string, ReadonlyArray<string>>> = {
  Wake: ["E_ROOM_NOT_FOUND", "E_TENANT_WAKING", "E_ROOM_CRASHED", "E_CAP_REACHED"],
  Delete: ["E_ROOM_NOT_FOUND", "E_ROOM_IN_USE", "E_EVICT_FAILED", "E_TENANT_WAKING"],
  Set: ["E_ROOM_NOT_FOUND", "E_ROOM_STARTED", "E_TENANT_WAKING"],
  Restore: ["E_ROOM_NOT_FOUND", "E_SAVE_NOT_FOUND", "E_TENANT_WAKING"]
}

// Literals of the specification, on purpose: "three restarts in a minute close the room".
const closingDeaths = 3
const minuteMs = 60_000

/** Knows what was promised, in plain maps, and throws where it is broken. */
export class Witness implements StoreWitness {
  readonly #world: World
  readonly #rooms = new Map<string, Promised>()
  readonly #epochs = new Map<number, string>()
  readonly #budget = new BudgetReference()
  /** How often each kind of promise was made; a batch that made none has shown nothing. */
  readonly made = { writes: 0, deletions: 0, settings: 0, restores: 0 }

  constructor(world: World) {
    this.#world = world
  }

  #of(key: string): Promised {
    const known = this.#rooms.get(key)
    if (known !== undefined) return known
    const fresh: Promised = {
      writes: new Set(),
      loadedEpoch: 0,
      claimedEpoch: 0,
      restores: new Set(),
      lives: 0,
      storedIn: new Map(),
      deathsMs: []
    }
    this.#rooms.set(key, fresh)
    return fresh
  }

  promised(key: string): ReadonlySet<number> {
    return this.#of(key).writes
  }

  roomStepped({ key, before, event, after }: RoomStepped): void {
    if (event._tag === "EpochClaimed" && after !== before) this.#claimed(key, event.epoch)
    if (event._tag === "Revived")
      this.#of(key).deathsMs = "restarts" in before ? [...before.restarts] : []
    if (event._tag === "Started" && before._tag === "Starting") this.#of(key).deathsMs = []
    if (
      event._tag === "ProcessExited" ||
      (event._tag === "StartFailed" && before._tag === "Restarting")
    )
      this.#died({ key, before, after }, event)
    if (after._tag === "Deleting" && before._tag !== "Deleting") this.#deleting(key, event)
    // Its answer may get lost with the actor; it is queued all the same.
    if (after._tag === "Restoring") this.#of(key).restores.add(after.save.saveId)
  }

  #claimed(key: string, epoch: number): void {
    const room = this.#of(key)
    if (epoch <= room.claimedEpoch) {
      throw new Violation("epoch", `${key} was given epoch ${epoch} after ${room.claimedEpoch}`)
    }
    room.claimedEpoch = epoch
  }

  #died(
    { key, before, after }: Pick<RoomStepped, "key" | "before" | "after">,
    { epoch, nowMs }: { readonly epoch: number; readonly nowMs: number }
  ): void {
    if (before._tag !== "Awake" && before._tag !== "Restarting") return
    if (before.at.epoch !== epoch) return
    const room = this.#of(key)
    room.deathsMs = [...room.deathsMs.filter((atMs) => atMs > nowMs - minuteMs), nowMs]
    const deaths = room.deathsMs.length
    const expected = deaths >= closingDeaths ? "Closed" : "Restarting"
    if (after._tag === expected) return
    throw new Violation("restarts", `${key}: ${deaths} deaths in a minute, and it is ${after._tag}`)
  }

  #deleting(key: string, event: RoomEvent): void {
    if (event._tag === "DeleteAsked" && event.relay) {
      throw new Violation("deletion", `${key} of a relay project was deleted`)
    }
    if (event._tag !== "SweepAsked") return
    if (event.deletesAtMs === null || event.nowMs < event.deletesAtMs) {
      throw new Violation("retention", `${key} was swept before its time`)
    }
  }

  /** The answer of one of an actor's calls, when all that it leads to is over. */
  answered({ key, rule, event }: Asked, answer: RoomAnswer | null): void {
    const known = knownRefusals[rule]
    if (known === undefined) return
    if (answer === null) throw new Violation("answers", `${rule} of ${key} has no answer`)
    if (answer._tag === "Refuse" && !known.includes(answer.code)) {
      throw new Violation("codes", `${rule} of ${key} was refused with ${answer.code}`)
    }
    if (answer._tag === "AnswerDeleted") this.#deleted(key)
    if (answer._tag === "AnswerDone" && event._tag === "SetAsked") this.#set(key, event.settings)
    if (answer._tag === "AnswerDone" && event._tag === "RestoreAsked") this.made.restores++
    if (answer._tag === "Refuse" && answer.code === "E_ROOM_NOT_FOUND") this.#notFound(key, rule)
  }

  /** A wake may miss its type; every other call finds a room that has stored state. */
  #notFound(key: string, rule: string): void {
    if (rule === "Wake" || this.#newest(key).length === 0) return
    throw new Violation("existence", `${rule} of ${key} finds no room, and its state is stored`)
  }

  #deleted(key: string): void {
    this.made.deletions++
    const { rows, objects } = this.#world.store
    const left = [...objects.of(key).keys()]
    if (left.length > 0 || rows.get(key) !== null) {
      throw new Violation("deletion", `${key} was deleted and has ${left.join(", ") || "a row"}`)
    }
  }

  #set(key: string, settings: { readonly retention?: string | null }): void {
    this.made.settings++
    if (settings.retention === undefined) return
    const override = this.#world.store.rows.get(key)?.override ?? null
    if (override === settings.retention) return
    throw new Violation(
      "settings",
      `${key} was set to ${settings.retention} and keeps ${override} all the same`
    )
  }

  /** An incarnation has read the state that it will play on. */
  loaded(key: string, { epoch }: Incarnation, state: PlayState): void {
    const owner = this.#epochs.get(epoch)
    if (owner !== undefined) {
      throw new Violation("one writer", `${key} starts under epoch ${epoch}, as ${owner} did`)
    }
    this.#epochs.set(epoch, key)
    const room = this.#of(key)
    // One that is no longer wanted may read late; it cannot write.
    if (epoch < room.loadedEpoch || epoch !== this.#world.store.rows.get(key)?.epoch) return
    room.loadedEpoch = epoch
    this.#contains(key, state, "is played without")
  }

  stateStored(key: string, epoch: number): void {
    const { loadedEpoch } = this.#of(key)
    if (epoch < loadedEpoch) {
      throw new Violation("fence", `${key}: epoch ${epoch} has written after ${loadedEpoch} read`)
    }
    const { lives, storedIn } = this.#of(key)
    for (const write of this.#newest(key)) storedIn.set(write, lives)
    this.#kept(key)
  }

  savePlaced(key: string, saveId: string, state: PlayState): void {
    const room = this.#of(key)
    if (!room.restores.has(saveId)) {
      throw new Violation("restore", `${key}: nobody was answered that ${saveId} would be placed`)
    }
    room.writes.clear()
    room.lives++
    for (const write of state) {
      room.writes.add(write)
      room.storedIn.set(write, room.lives)
    }
    this.#kept(key)
  }

  removed(key: string): void {
    const room = this.#of(key)
    room.writes.clear()
    room.lives++
  }

  /** A client was told that its durable call is stored. */
  acknowledged(key: string, write: number): void {
    this.made.writes++
    const room = this.#of(key)
    const life = room.storedIn.get(write)
    if (life === undefined) {
      throw new Violation("durability", `${key}: write ${write} was acknowledged and not stored`)
    }
    // Stored and taken back again while its answer was on the way.
    if (life < room.lives) return
    room.writes.add(write)
    this.#kept(key)
  }

  /** Everything that was promised is in what the next incarnation would read. */
  #kept(key: string): void {
    this.#contains(key, this.#newest(key), "is stored without")
  }

  #newest(key: string): PlayState {
    return newestSnapshot(this.#world.store.objects.of(key).values())?.state ?? []
  }

  #contains(key: string, state: PlayState, lacks: string): void {
    const { writes } = this.#of(key)
    if (writes.size === 0) return
    const has = new Set(state)
    for (const write of writes) {
      if (!has.has(write)) throw new Violation("durability", `${key} ${lacks} write ${write}`)
    }
  }

  serverStepped(stepped: ServerStepped): void {
    this.#budget.stepped(stepped)
  }
}
