import { RoomFrames } from "@atrium/runtime/room/ClientFrames"
import { messageOf, stackOf } from "@atrium/runtime/room/ErrorText"
import { makeRandom, seedState } from "@atrium/runtime/room/SeededRandom"
import { ServiceClock } from "@atrium/runtime/room/ServiceClock"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import type { AnyRoomSchema } from "@atrium/wire/schema"

import type { ExitCause } from "../process/ExitCause.ts"
import type {
  JoinRequest,
  RoomProcess,
  RoomProcessListener,
  RoomStart
} from "../process/RoomProcess.ts"
import { RelayDesk } from "./RelayDesk.ts"
import { RelayMachine } from "./RelayMachine.ts"
import { machinePort, type RelayPort } from "./RelayPort.ts"
import type { RelaySeatCaps, RelaySession } from "./RelaySeatsMachine.ts"
import { decodeRelaySnapshot, encodeRelaySnapshot, type KeptOwner } from "./RelaySnapshot.ts"
import { RelayState } from "./RelayState.ts"
import { tableShapesOf } from "./RelayValues.ts"

/** What a relay room is made from. */
export interface RelayRoomSettings {
  readonly schema: AnyRoomSchema
  readonly seats: RelaySeatCaps
  readonly reconnectForMs: number
}

/**
 * A room without code, inside of the runner: clients write its state, as far as the rules let them.
 * To those around it, it is a room process like others. Source: D-24, docs/protocol.md.
 */
export class RelayRoom implements RoomProcess {
  /** There is no process to signal. */
  readonly pid = 0
  readonly #settings: RelayRoomSettings
  readonly #listener: RoomProcessListener
  readonly #port: RelayPort
  #live: Live | null = null
  #ended = false

  constructor(
    settings: RelayRoomSettings,
    listener: RoomProcessListener,
    port: RelayPort = machinePort
  ) {
    this.#settings = settings
    this.#listener = listener
    this.#port = guarded(port, (error) => this.#failed(error))
  }

  start(start: RoomStart): void {
    if (this.#live !== null || this.#ended) return
    const live = new Live(this.#settings, this.#listener, { port: this.#port, start })
    try {
      live.restore()
    } catch (error) {
      return this.#exit("code", messageOf(error))
    }
    this.#live = live
    this.#listener.ready()
    this.#attempt(() => live.begin())
  }

  join(request: JoinRequest): void {
    this.#live?.join(request)
  }

  data(ref: number, frame: Uint8Array): void {
    try {
      this.#live?.data(ref, frame)
    } catch (error) {
      this.#failed(error)
    }
  }

  drop(ref: number): void {
    this.#attempt((live) => live.drop(ref))
  }

  leave(ref: number): void {
    this.#attempt((live) => live.leave(ref))
  }

  requestSnapshot(requestId: number, { final }: { readonly final: boolean }): void {
    this.#attempt((live) => live.takeSnapshot(requestId, final))
  }

  /** It asks for no saves. */
  saved(): void {}

  clockMoved(nowMs: number, runs: boolean): void {
    this.#attempt((live) => live.clockMoved(nowMs, runs))
  }

  kill(cause: ExitCause): void {
    this.#exit(cause, "ended by the service")
  }

  #attempt(act: (live: Live) => void): void {
    if (this.#live === null) return
    try {
      act(this.#live)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** A fault of ours ends this room alone, as it would in a process of its own. */
  #failed(error: unknown): void {
    if (this.#ended) return
    this.#listener.log("error", `the relay room failed: ${stackOf(error)}`)
    this.#exit("crashed", messageOf(error))
  }

  #exit(cause: ExitCause, detail: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#live?.stop()
    this.#live = null
    this.#port.soon(() => this.#listener.exited({ cause, detail }))
  }
}

const guarded = (port: RelayPort, failed: (error: unknown) => void): RelayPort => {
  const safe = (run: () => void) => (): void => {
    try {
      run()
    } catch (error) {
      failed(error)
    }
  }
  return {
    nowMs: () => port.nowMs(),
    setTimer: (delayMs, run) => port.setTimer(delayMs, safe(run)),
    afterTurn: (run) => port.afterTurn(safe(run)),
    soon: (run) => port.soon(safe(run))
  }
}

interface Beginning {
  readonly port: RelayPort
  readonly start: RoomStart
}

/** A relay room that runs. */
class Live {
  readonly #listener: RoomProcessListener
  readonly #port: RelayPort
  readonly #start: RoomStart
  readonly #machine: RelayMachine
  readonly #state: RelayState
  readonly #clock: ServiceClock
  readonly #desk: RelayDesk
  /** Joins wait until the gate has seated who joins. */
  #joins: Array<JoinRequest> = []
  #patches = 0
  #random
  #changedReported = false
  #turnScheduled = false
  #stopped = false

  constructor(
    settings: RelayRoomSettings,
    listener: RoomProcessListener,
    { port, start }: Beginning
  ) {
    const { schema, seats, reconnectForMs } = settings
    this.#listener = listener
    this.#port = port
    this.#start = start
    this.#random = makeRandom(seedState(start.seed)).state()
    this.#machine = new RelayMachine({ tables: tableShapesOf(schema), seats, reconnectForMs })
    this.#state = new RelayState(schema, () => this.#touch())
    this.#clock = new ServiceClock(port, {
      ...{ nowMs: start.nowMs, runs: start.clockRuns },
      onDue: () => this.#due()
    })
    this.#desk = new RelayDesk(
      { machine: this.#machine, state: this.#state, listener },
      { nowMs: () => this.#clock.nowMs(), touch: () => this.#touch() }
    )
  }

  /** Errors: those of the stored bytes. */
  restore(): void {
    const { snapshot, nowMs } = this.#start
    if (snapshot === null) return
    const saved = decodeRelaySnapshot(snapshot.bytes)
    this.#patches = saved.patches
    this.#random = saved.random
    for (const session of saved.sessions) this.#machine.seats.restore(session, nowMs)
    const owners = new Map<string, string>()
    for (const [collection, key, id] of saved.owners) owners.set(`${collection} ${key}`, id)
    this.#state.load(
      saved.state,
      this.#machine.tables,
      (collection, key) => owners.get(`${collection} ${key}`) ?? null
    )
  }

  begin(): void {
    // Alarms that code has set before would ring for ever.
    if (this.#start.alarms.length > 0) this.#listener.alarms([])
    this.#wake()
  }

  join(request: JoinRequest): void {
    if (this.#stopped) return
    this.#joins.push(request)
    if (this.#joins.length === 1) this.#port.soon(() => this.#settleJoins())
  }

  data(ref: number, frame: Uint8Array): void {
    if (this.#joins.length > 0) this.#settleJoins()
    if (this.#stopped) return
    const seated = this.#desk.seated(ref)
    if (seated === undefined) return
    if (frame[1] === ClientFrame.send) this.#desk.send(seated, frame)
    else this.#desk.frame(seated, frame)
  }

  drop(ref: number): void {
    const session = this.#sessionOf(ref)
    if (session === undefined) return
    this.#machine.seats.drop(session, this.#clock.nowMs())
    this.#desk.gone(ref)
    this.#sessionsChanged()
  }

  leave(ref: number): void {
    const session = this.#sessionOf(ref)
    if (session === undefined) return
    this.#desk.gone(ref)
    this.#desk.tell(this.#machine.end(session))
    this.#sessionsChanged()
  }

  takeSnapshot(requestId: number, final: boolean): void {
    if (this.#stopped) return
    this.#flush()
    if (final) this.stop()
    const bytes = this.#encode()
    this.#changedReported = false
    this.#listener.snapshot(requestId, bytes)
  }

  clockMoved(nowMs: number, runs: boolean): void {
    this.#clock.move(nowMs, runs)
  }

  /** Nothing moves from here on. */
  stop(): void {
    this.#stopped = true
    this.#clock.wakeAt(null)
  }

  /** The session of a connection that ends; one that has not joined yet never will. */
  #sessionOf(ref: number): RelaySession | undefined {
    this.#joins = this.#joins.filter((request) => request.ref !== ref)
    return this.#stopped ? undefined : this.#machine.seats.byRef(ref)
  }

  #settleJoins(): void {
    const joins = this.#joins
    this.#joins = []
    for (const request of joins) if (!this.#stopped) this.#seat(request)
  }

  #seat(request: JoinRequest): void {
    const { ref } = request
    const seating = this.#machine.seats.enter(request, this.#clock.nowMs())
    if (seating.is === "full") return this.#listener.refused(ref, fullOf[seating.of])
    const { session } = seating
    if (seating.is === "resumed" && seating.replaced !== null) {
      this.#desk.gone(seating.replaced)
      const { code } = CloseCodes.normal
      this.#listener.kick(seating.replaced, { code, reason: "resumed elsewhere" })
    }
    this.#sessionsChanged()
    // Those who are in get the changes as a patch, the new one has them in its state.
    this.#flush()
    this.#desk.came(session, ref)
    this.#listener.joined(ref, {
      sessionId: session.id,
      resumed: seating.is === "resumed",
      tick: this.#patches,
      state: this.#state.full()
    })
    if (seating.is === "resumed") this.#desk.tell(this.#machine.openAsks(session))
  }

  #due(): void {
    if (this.#stopped) return
    const { ended, notices } = this.#machine.lapse(this.#clock.nowMs())
    this.#desk.tell(notices)
    if (ended) this.#markChanged()
    this.#wake()
  }

  #sessionsChanged(): void {
    this.#markChanged()
    this.#wake()
  }

  #wake(): void {
    if (!this.#stopped) this.#clock.wakeAt(this.#machine.dueAtMs())
  }

  #markChanged(): void {
    if (this.#changedReported) return
    this.#changedReported = true
    this.#listener.changed()
  }

  #touch(): void {
    if (this.#turnScheduled) return
    this.#turnScheduled = true
    this.#port.afterTurn(() => {
      this.#turnScheduled = false
      if (this.#stopped) return
      this.#flush()
      this.#wake()
    })
  }

  /** Sends what changed to those who are in, then the answers to those who changed it. */
  #flush(): void {
    if (this.#state.dirty) {
      this.#markChanged()
      this.#patch()
    }
    this.#desk.sendAcks()
  }

  #patch(): void {
    if (this.#machine.seats.connected === 0) return this.#state.discardDelta()
    const delta = this.#state.delta()
    if (delta === null) return
    this.#patches++
    this.#listener.deliver("all", RoomFrames.patch(this.#patches, delta))
  }

  #encode(): Uint8Array {
    const { seats } = this.#machine
    return encodeRelaySnapshot({
      state: this.#state.snapshot(),
      sessions: Array.from(seats, (session) => ({
        ...{ id: session.id, playerId: session.playerId, name: session.name, role: session.role },
        resumeHash: session.resumeHash,
        previousResumeHash: session.previousResumeHash,
        droppedAtMs: session.droppedAtMs,
        player: noFields
      })),
      tick: 0,
      patches: this.#patches,
      random: this.#random,
      lobby: this.#start.lobby,
      owners: this.#owners()
    })
  }

  #owners(): ReadonlyArray<KeptOwner> {
    const { tables, seats } = this.#machine
    return tables.list.flatMap(({ name, records }) =>
      [...records.values()].flatMap(({ id, owner }): ReadonlyArray<KeptOwner> =>
        owner === null || seats.byId(owner) === undefined ? [] : [[name, id, owner]]
      )
    )
  }
}

const noFields = new Uint8Array(0)

const fullOf = {
  players: { code: CloseCodes.full.name, message: "the room has all its players" },
  viewers: { code: CloseCodes.audienceFull.name, message: "the room has all its viewers" }
} as const
