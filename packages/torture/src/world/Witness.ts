import type { PlayState } from "@atrium/actors/process/testing/MemoryRoomProcess"
import type { RoomAction, RoomEvent, RoomState } from "@atrium/actors/rooms/RoomState"

import { BudgetReference, type ServerStepped } from "./BudgetReference.ts"
import type { PlainCalls } from "./PlainCalls.ts"
import type { ObjectChanges, StoredState } from "./StoredState.ts"
import { Violation } from "./Violation.ts"

/** Promises to the clients of one room, and the incarnations of that room. */
interface Promised {
  /** Writes that a durable call has acknowledged and that nothing has taken back since. */
  readonly writes: Set<number>
  /** The newest epoch under which the room's state was read to be played. */
  loadedEpoch: number
  /** States of the saves that a restore was queued for. */
  readonly restores: Array<PlayState>
  /** How often all of its state was removed or replaced, and when each write was stored by that count. */
  lives: number
  readonly storedIn: Map<number, number>
  /** The actor that took the last step: there may be another one on a runner that has lost the room. */
  actor: string
}

/** One actor of a room: two runners may have one each for a moment. */
interface Acting {
  /** The newest epoch that its machine was given. */
  claimedEpoch: number
  /** When its processes died, since the room was started or the actor began anew. */
  deathsMs: Array<number>
  /** The last event that it was asked. */
  asked: RoomEvent | null
  /** Another actor of the room took a step meanwhile. */
  disturbed: boolean
}

/** Where and under which epoch a room's process starts. */
interface Loading {
  readonly epoch: number
  readonly on: string
}

export interface RoomStepped {
  readonly room: string
  /** The room's actor: its key, and the host that it lives on. */
  readonly actor: string
  readonly before: RoomState
  readonly event: RoomEvent
  readonly after: RoomState
  readonly actions: ReadonlyArray<RoomAction>
}

/** Codes that may refuse each call. Source: spec, Endpoints; docs/protocol.md. */
const knownRefusals: Partial<Record<RoomEvent["_tag"], ReadonlyArray<string>>> = {
  WakeAsked: ["E_ROOM_NOT_FOUND", "E_TENANT_WAKING", "E_ROOM_CRASHED", "E_CAP_REACHED"],
  DeleteAsked: ["E_ROOM_NOT_FOUND", "E_ROOM_IN_USE", "E_EVICT_FAILED", "E_TENANT_WAKING"],
  SetAsked: ["E_ROOM_NOT_FOUND", "E_ROOM_STARTED", "E_TENANT_WAKING"],
  RestoreAsked: ["E_ROOM_NOT_FOUND", "E_SAVE_NOT_FOUND", "E_TENANT_WAKING"]
}

const answers: ReadonlySet<RoomAction["_tag"]> = new Set([
  "Answer",
  "AnswerDeleted",
  "AnswerDone",
  "Refuse"
])

// Literals of the specification, on purpose: "three restarts in a minute close the room".
const closingDeaths = 3
const minuteMs = 60_000

/** Knows what was promised, in plain maps, and throws where it is broken. */
export class Witness implements ObjectChanges {
  readonly #stored: StoredState
  readonly #isRelay: (room: string) => boolean
  readonly #plain: PlainCalls
  readonly #rooms = new Map<string, Promised>()
  readonly #actors = new Map<string, Acting>()
  /** By epoch: the room, and the runners that have started it. */
  readonly #started = new Map<number, { readonly room: string; readonly on: Set<string> }>()
  readonly #budget = new BudgetReference()
  /** Epochs of rooms whose process has ended by what another room of it did. */
  readonly #spared = new Map<number, string>()
  /** How often each kind of promise was made; a batch that made none has shown nothing. */
  readonly made = { writes: 0, deletions: 0, settings: 0, restores: 0, spared: 0 }

  constructor(stored: StoredState, isRelay: (room: string) => boolean, plain: PlainCalls) {
    this.#stored = stored
    this.#plain = plain
    this.#isRelay = isRelay
  }

  #of(room: string): Promised {
    const known = this.#rooms.get(room)
    if (known !== undefined) return known
    const fresh: Promised = {
      writes: new Set(),
      loadedEpoch: 0,
      restores: [],
      lives: 0,
      storedIn: new Map(),
      actor: ""
    }
    this.#rooms.set(room, fresh)
    return fresh
  }

  #acting({ room, actor }: RoomStepped): Acting {
    const promised = this.#of(room)
    if (promised.actor !== actor) {
      const other = this.#actors.get(promised.actor)
      if (other !== undefined) other.disturbed = true
      promised.actor = actor
    }
    const known = this.#actors.get(actor)
    if (known !== undefined) return known
    const fresh: Acting = { claimedEpoch: 0, deathsMs: [], asked: null, disturbed: false }
    this.#actors.set(actor, fresh)
    return fresh
  }

  roomStepped(stepped: RoomStepped): void {
    const { room, before, event, after } = stepped
    const acting = this.#acting(stepped)
    if (event._tag in knownRefusals) {
      acting.asked = event
      acting.disturbed = false
    }
    // A call that the store has failed has no answer: what comes next is none to it.
    if (event._tag === "Revived" || event._tag === "RestoreDue") acting.asked = null
    if ((event._tag === "EpochClaimed" || event._tag === "Placed") && after !== before) {
      claimed(room, acting, event.epoch)
      this.#plain.superseded(room, event.epoch)
    }
    if (event._tag === "Revived") acting.deathsMs = "restarts" in before ? [...before.restarts] : []
    if (event._tag === "Started" && before._tag === "Starting") acting.deathsMs = []
    if (
      event._tag === "ProcessExited" ||
      (event._tag === "StartFailed" && before._tag === "Restarting")
    )
      this.#died(stepped, acting, event)
    if (after._tag === "Deleting" && before._tag !== "Deleting") deleting(room, event)
    // Its answer may get lost with the actor; it is queued all the same.
    if (after._tag === "Restoring" && after !== before) this.#restoring(room, after.save)
    this.#answers(stepped, acting)
  }

  /** The process of a room ends, and the room has done nothing for it. */
  endedByNeighbour(room: string, epoch: number): void {
    this.#spared.set(epoch, room)
  }

  #died(
    { room, before, after }: RoomStepped,
    acting: Acting,
    { epoch, nowMs }: { readonly epoch: number; readonly nowMs: number }
  ): void {
    if (before._tag !== "Awake" && before._tag !== "Restarting") return
    if (before.at.epoch !== epoch) return
    const spared = this.#spared.get(epoch) === room
    const recent = acting.deathsMs.filter((atMs) => atMs > nowMs - minuteMs)
    acting.deathsMs = spared ? recent : [...recent, nowMs]
    const deaths = acting.deathsMs.length
    const expected = deaths >= closingDeaths ? "Closed" : "Restarting"
    if (after._tag !== expected) {
      const what = `${deaths} deaths of its own in a minute`
      throw new Violation("restarts", `${room}: ${what}, and it is ${after._tag}`)
    }
    if (spared) this.made.spared++
  }

  #restoring(room: string, { saveId }: { readonly saveId: string }): void {
    const save = this.#stored.savesOf(room).find((one) => one.saveId === saveId)
    if (save !== undefined) this.#of(room).restores.push(this.#stateOf(room, save.object))
  }

  #answers({ room, actions }: RoomStepped, acting: Acting): void {
    const { asked, disturbed } = acting
    for (const action of actions) {
      // A restore that is due answers as well: that is no answer to the call before.
      if (answers.has(action._tag)) acting.asked = null
      if (action._tag === "AnswerDeleted") this.#deleted(room, disturbed)
      if (action._tag === "Refuse" && asked !== null) this.#refused(room, asked, action.code)
      if (action._tag !== "AnswerDone") continue
      if (asked?._tag === "SetAsked" && !disturbed) this.#set(room, asked.settings)
      if (asked?._tag === "RestoreAsked") this.made.restores++
    }
  }

  /** A wake may miss its type; every other call finds a room that has stored state. */
  #refused(room: string, asked: RoomEvent, code: string): void {
    if (knownRefusals[asked._tag]?.includes(code) !== true) {
      throw new Violation("codes", `${asked._tag} of ${room} was refused with ${code}`)
    }
    if (code !== "E_ROOM_NOT_FOUND" || asked._tag === "WakeAsked") return
    if (this.#stored.storedType(room) === null) return
    throw new Violation("existence", `${asked._tag} of ${room} finds no room: its state is stored`)
  }

  #deleted(room: string, disturbed: boolean): void {
    this.made.deletions++
    const left = this.#stored.objectsOf(room)
    if (left.length === 0 || disturbed) return
    throw new Violation("deletion", `${room} was deleted and has ${left.join(", ")}`)
  }

  #set(room: string, settings: { readonly retention?: string | null }): void {
    this.made.settings++
    if (settings.retention === undefined) return
    const override = this.#stored.row(room)?.retentionOverride ?? null
    if (override === settings.retention) return
    throw new Violation(
      "settings",
      `${room} was set to ${settings.retention} and keeps ${override} all the same`
    )
  }

  /** An incarnation begins to play on this state, on a runner. */
  loaded(room: string, { epoch, on }: Loading, state: PlayState): void {
    const started = this.#started.get(epoch) ?? { room, on: new Set() }
    if (started.room !== room) {
      throw new Violation(
        "one writer",
        `${room} starts under epoch ${epoch}, as ${started.room} did`
      )
    }
    // An order whose reply was lost is sent again; only another runner may have lost the first one.
    if (started.on.has(on)) {
      throw new Violation("one start", `${on} starts ${room} twice under epoch ${epoch}`)
    }
    started.on.add(on)
    this.#started.set(epoch, started)
    const promised = this.#of(room)
    // An incarnation that is no longer wanted may read late; it cannot write.
    if (epoch < promised.loadedEpoch || epoch !== this.#stored.row(room)?.epoch) return
    promised.loadedEpoch = epoch
    this.#contains(room, state, "is played without")
    if (!this.#isRelay(room)) this.#plain.loaded(room, state)
  }

  snapshotPut(
    room: string,
    { epoch, reason }: { readonly epoch: number; readonly reason: unknown }
  ): void {
    if (this.#isRelay(room)) return
    if (reason === "restore") return this.#savePlaced(room)
    const { loadedEpoch, lives, storedIn } = this.#of(room)
    if (epoch < loadedEpoch) {
      throw new Violation("fence", `${room}: epoch ${epoch} has written after ${loadedEpoch} read`)
    }
    for (const write of this.#newest(room)) storedIn.set(write, lives)
    this.#kept(room)
  }

  #savePlaced(room: string): void {
    this.#plain.forgotten(room)
    const promised = this.#of(room)
    const state = this.#newest(room)
    const text = JSON.stringify(state)
    if (!promised.restores.some((one) => JSON.stringify(one) === text)) {
      throw new Violation("restore", `${room}: nobody was answered that this save would be placed`)
    }
    promised.writes.clear()
    promised.lives++
    for (const write of state) {
      promised.writes.add(write)
      promised.storedIn.set(write, promised.lives)
    }
  }

  snapshotRemoved(room: string): void {
    this.#plain.forgotten(room)
    const promised = this.#of(room)
    promised.writes.clear()
    promised.lives++
  }

  /** A client was told that its durable call is stored. */
  acknowledged(room: string, write: number): void {
    this.made.writes++
    const promised = this.#of(room)
    const life = promised.storedIn.get(write)
    if (life === undefined) {
      throw new Violation("durability", `${room}: write ${write} was acknowledged and not stored`)
    }
    // Stored and taken back again while its answer was on the way.
    if (life < promised.lives) return
    promised.writes.add(write)
    this.#kept(room)
  }

  /** Everything that was promised is in what the next incarnation would read. */
  #kept(room: string): void {
    this.#contains(room, this.#newest(room), "is stored without")
  }

  #newest(room: string): PlayState {
    return this.#isRelay(room) ? [] : this.#stored.newest(room)
  }

  #stateOf(room: string, object: string): PlayState {
    return this.#isRelay(room) ? [] : this.#stored.stateOf(object)
  }

  #contains(room: string, state: PlayState, lacks: string): void {
    const { writes } = this.#of(room)
    if (writes.size === 0) return
    const has = new Set(state)
    for (const write of writes) {
      if (!has.has(write)) throw new Violation("durability", `${room} ${lacks} write ${write}`)
    }
  }

  serverStepped(stepped: ServerStepped): void {
    this.#budget.stepped(stepped)
  }
}

const claimed = (room: string, acting: Acting, epoch: number): void => {
  if (epoch <= acting.claimedEpoch) {
    throw new Violation("epoch", `${room} was given epoch ${epoch} after ${acting.claimedEpoch}`)
  }
  acting.claimedEpoch = epoch
}

const deleting = (room: string, event: RoomEvent): void => {
  if (event._tag === "DeleteAsked" && event.relay) {
    throw new Violation("deletion", `${room} of a relay project was deleted`)
  }
  if (event._tag !== "SweepAsked") return
  if (event.deletesAtMs === null || event.nowMs < event.deletesAtMs) {
    throw new Violation("retention", `${room} was swept before its time`)
  }
}
