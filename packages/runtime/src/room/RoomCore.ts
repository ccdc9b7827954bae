import { makeRoomState, type RoomState } from "@atrium/wire/codec/RoomState"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { cutLogLine } from "@atrium/wire/text/LogLine"

import type { LogLevel } from "../host/HostFrames.ts"
import type { StartOrder } from "../host/HostOrders.ts"
import { Reports } from "../host/RoomReports.ts"
import type { RuntimePort } from "../host/RuntimePort.ts"
import type { PublicView } from "../replay/PublicView.ts"
import type { Recorder } from "../replay/Recorder.ts"
import { Alarms } from "./Alarms.ts"
import { RoomFrames } from "./ClientFrames.ts"
import { ClientGroups } from "./ClientGroups.ts"
import type { ErasedHandlers } from "./ErasedHandlers.ts"
import { isPromise, stackOf } from "./ErrorText.ts"
import { Players } from "./Players.ts"
import { RoomViews } from "./RoomViews.ts"
import { Saves } from "./Saves.ts"
import { makeRandom, seedState, type SeededRandom } from "./SeededRandom.ts"
import { ServiceCalls } from "./ServiceCalls.ts"
import { ServiceClock } from "./ServiceClock.ts"
import { type Session, Sessions } from "./Session.ts"
import type { RoomRules } from "./Visibility.ts"

/** The code of a room, as its definition has it. */
export interface RoomCode {
  readonly schema: AnyRoomSchema
  /** The schema of all that is stored: the hidden state stands after the other. */
  readonly stored: AnyRoomSchema
  readonly handlers: ErasedHandlers
  /** `null` = every client sees the whole state. */
  readonly rules: RoomRules | null
}

/** The parts of a room, and the order in which its changes leave it. */
export class RoomCore {
  readonly port: RuntimePort
  readonly schema: AnyRoomSchema
  /** The schema of all that is stored. */
  readonly stored: AnyRoomSchema
  readonly handlers: ErasedHandlers
  readonly start: StartOrder
  readonly state: RoomState<AnyRoomSchema>
  /** `null` = every client sees the whole state. */
  readonly views: RoomViews | null
  readonly sessions: Sessions
  readonly players: Players
  readonly saves: Saves
  readonly calls: ServiceCalls
  readonly alarms: Alarms
  readonly voice = new ClientGroups()
  readonly clock: ServiceClock
  random: SeededRandom
  lobby: { isPublic: boolean; started: boolean }
  /** The state as a client sees it that every rule refuses. */
  readonly publicView: PublicView = {
    tick: () => this.views?.strangersTick ?? this.patches,
    encodeFull: () => this.views?.encodeStranger() ?? this.state.encodeFull()
  }
  /** `null` = the room's type declares no replay. */
  recorder: Recorder | null = null
  /** The last snapshot is taken: what room code does from here on is lost. */
  over = false
  /** Ticks that have run. */
  tick = 0
  /** Patches that were sent: the tick of the wire. */
  patches = 0
  /** Frames that wait for `ready`; `null` since then. */
  #held: Uint8Array[] | null = []
  #changedReported = false
  #turnScheduled = false
  #alarmsChanged = false
  /** The full state, since somebody was welcomed; `null` = it has changed, or is long. */
  #full: Uint8Array | null = null

  constructor(
    port: RuntimePort,
    code: RoomCode,
    order: { readonly start: StartOrder; readonly onDue: () => void }
  ) {
    const touch = () => this.touch()
    this.port = port
    this.schema = code.schema
    this.stored = code.stored
    this.handlers = code.handlers
    this.start = order.start
    this.lobby = { ...order.start.lobby }
    this.state = makeRoomState(code.stored, { onDirty: touch, shown: code.schema })
    this.views = code.rules === null ? null : this.#viewsBy(code.rules)
    this.sessions = new Sessions(code.schema.reconnectForMs)
    this.players = new Players(code.schema.player, (playerId) => {
      this.views?.playerChanged(playerId)
      touch()
    })
    this.random = makeRandom(seedState(order.start.seed))
    this.clock = new ServiceClock(port, {
      nowMs: order.start.nowMs,
      runs: order.start.clockRuns,
      onDue: order.onDue
    })
    this.alarms = new Alarms(order.start.alarms, () => {
      this.#alarmsChanged = true
      this.touch()
    })
    this.saves = new Saves({
      request: (saveId, generation) => this.send(Reports.saveRequested(saveId, generation)),
      onAsked: touch
    })
    this.calls = new ServiceCalls((callId, request) => this.send(Reports.called(callId, request)))
  }

  /** The project is the one of a developer's own machine: its clients may read errors of room code. */
  get isDev(): boolean {
    return this.start.projectId === "dev"
  }

  /** Sends a frame to the service; before `ready` it waits. */
  send(frame: Uint8Array): void {
    if (this.#held === null) this.port.send(frame)
    else this.#held.push(frame)
  }

  /** Tells the service that joins are taken, and all that waited for it. */
  open(): void {
    const held = this.#held ?? []
    this.#held = null
    this.port.send(Reports.ready())
    for (const frame of held) this.port.send(frame)
    this.endTurn()
  }

  /** Writes a line to the room's log at once, also before `ready`. */
  log(level: LogLevel, line: string): void {
    this.port.send(Reports.log(level, cutLogLine(line).toWellFormed()))
  }

  logError(where: string, error: unknown): void {
    this.log("error", `${where}: ${stackOf(error)}`)
  }

  /** Runs a hook: what it throws, at once or later, is logged and ends there. */
  hook(where: string, run: () => unknown): void {
    try {
      const answer = run()
      if (isPromise(answer)) answer.then(undefined, (error: unknown) => this.logError(where, error))
    } catch (error) {
      this.logError(where, error)
    }
  }

  /** Tells the service once after each snapshot that there is something new to store. */
  markChanged(): void {
    if (this.#changedReported) return
    this.#changedReported = true
    this.send(Reports.changed())
  }

  markStored(): void {
    this.#changedReported = false
  }

  /** Sends what changed in the state to the clients that have it, and records it. */
  flushPatch(): void {
    const { recorder } = this
    const { dirty } = this.state
    if (dirty) {
      this.#full = null
      this.markChanged()
    }
    if (this.views !== null) return this.#flushViews(this.views)
    if (!dirty) return recorder?.settled()
    const isSeen = this.sessions.hasWelcomed
    if (!isSeen && recorder === null) return this.state.discardDelta()
    const delta = this.state.encodeDelta()
    if (delta === null) return recorder?.settled()
    this.patches++
    if (isSeen) this.send(Reports.deliver("all", RoomFrames.patch(this.patches, delta)))
    recorder?.patched(delta)
  }

  /** What the welcome of a client says of the state. Nothing may be pending. */
  welcomeOf(session: Session, ref: number): { readonly tick: number; readonly state: Uint8Array } {
    if (this.views !== null) return this.views.welcome(session, ref)
    // Encoded once for all who are welcomed with it.
    this.#full ??= this.state.encodeFull()
    return { tick: this.patches, state: this.#full }
  }

  /** Schedules {@link endTurn}. Each call that may have changed something does so. */
  touch(): void {
    if (this.#turnScheduled || this.#held !== null) return
    this.#turnScheduled = true
    this.port.afterTurn(() => {
      this.#turnScheduled = false
      this.endTurn()
    })
  }

  /**
   * Hands over what events changed. Called before an answer leaves: who has the answer may act on
   * it elsewhere, and finds there what it says.
   */
  handOver(): void {
    if (this.schema.tickHz === 0) this.flushPatch()
    this.players.flush((playerId, bytes) => this.send(Reports.player(playerId, bytes)))
    this.#tellVoice()
    if (!this.#alarmsChanged) return
    this.#alarmsChanged = false
    this.send(Reports.alarms(this.alarms.list()))
  }

  #tellVoice(): void {
    const changes = this.voice.takeChanges()
    // An older service would end the room for it.
    if (changes.length > 0 && this.start.takesVoice === true) this.send(Reports.voice(changes))
  }

  #flushViews(views: RoomViews): void {
    const { recorder } = this
    if (!this.state.dirty && !views.due) return recorder?.settled()
    const { patches, stranger } = views.patches()
    if (patches.length > 0) this.patches++
    for (const { refs, tick, delta } of patches) {
      this.send(Reports.deliver(refs, RoomFrames.patch(tick, delta)))
    }
    if (stranger === null) recorder?.settled()
    else recorder?.patched(stranger)
  }

  #viewsBy(rules: RoomRules): RoomViews {
    return new RoomViews(this.state, rules, {
      failed: (rule, error) => this.logError(`visible.${rule}`, error),
      playerReads: () => this.players.reads,
      touch: () => this.touch()
    })
  }

  /** Hands over all that the events of a turn left behind. */
  endTurn(): void {
    this.handOver()
    // A second copy of a long state would be memory of the room.
    const { max } = RuntimeLimits.keptStateBytes
    if (this.#full !== null && this.#full.length > max) this.#full = null
    this.saves.flush()
    this.clock.wakeAt(earlier(this.alarms.earliestMs(), this.sessions.earliestLapseMs()))
  }
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b)
