import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"

import type { OrderSink, StartOrder } from "../host/HostOrders.ts"
import { Reports } from "../host/RoomReports.ts"
import type { RuntimePort } from "../host/RuntimePort.ts"
import { WorldOfRoom } from "../physics/WorldOfRoom.ts"
import { noReplay, replayOff, RoomReplays } from "../replay/RoomReplays.ts"
import { Admission } from "./Admission.ts"
import { Calls } from "./Calls.ts"
import type { RoomDefinition } from "./DefineRoom.ts"
import type { ErasedHandlers } from "./ErasedHandlers.ts"
import { isPromise } from "./ErrorText.ts"
import { failRoom } from "./FailRoom.ts"
import { Requests } from "./Requests.ts"
import type { Room } from "./Room.ts"
import { RoomCore } from "./RoomCore.ts"
import { makeRoomObject } from "./RoomObject.ts"
import { makeRandom } from "./SeededRandom.ts"
import type { Session } from "./Session.ts"
import { decodeSnapshotFile, encodeSnapshotFile, type SavedSession } from "./SnapshotFile.ts"
import { demandLayout, layoutOf } from "./SnapshotLayout.ts"
import { TickLoop } from "./TickLoop.ts"

/** One awake room: turns the service's orders into hooks, and what they do into reports. */
export class LiveRoom implements Omit<OrderSink, "start" | "migrate"> {
  readonly #core: RoomCore
  readonly #room: Room
  readonly #admission: Admission
  readonly #calls: Calls
  readonly #ticks: TickLoop | null
  /** `null` = the room records nothing. */
  readonly #replays: RoomReplays | null
  readonly #physics: WorldOfRoom
  #disposed = false

  private constructor(port: RuntimePort, definition: RoomDefinition, start: StartOrder) {
    const { schema, stored = schema, rules = null } = definition
    // The types of handlers are those of their schema; at run time only their names are left.
    const handlers = definition.handlers as ErasedHandlers
    const onDue = () => this.#due()
    this.#core = new RoomCore(port, { schema, stored, handlers, rules }, { start, onDue })
    if (this.#core.isDev) port.namePlaces?.()
    const requests = new Requests(this.#core)
    this.#replays = replaysOf(this.#core)
    const replay = this.#replays ?? noReplay
    this.#physics = new WorldOfRoom(this.#core)
    const { physics } = this.#physics
    this.#room = makeRoomObject(this.#core, { requests: () => requests, replay, physics })
    this.#admission = new Admission(this.#core, this.#room, requests)
    this.#calls = new Calls(this.#core, this.#room, requests)
    this.#ticks =
      schema.tickHz === 0 ? null : new TickLoop(port, schema.tickHz, (count) => this.#tick(count))
  }

  /** Starts a room. Throws what onCreate or the snapshot threw: then there is no room. */
  static start(port: RuntimePort, definition: RoomDefinition, start: StartOrder): LiveRoom {
    const live = new LiveRoom(port, definition, start)
    if (start.snapshot === null) live.#create()
    else live.#restore(start.snapshot)
    live.#core.open()
    live.#ticks?.start()
    return live
  }

  join: OrderSink["join"] = (order) => {
    if (this.#disposed) return
    this.#admission.join(order)
  }

  data: OrderSink["data"] = (ref, frame) => {
    const session = this.#core.sessions.byRef(ref)
    // It may have been let go while the frame was on its way.
    if (this.#disposed || session === undefined) return
    this.#calls.frame(session, frame)
    this.#core.touch()
  }

  drop: OrderSink["drop"] = (ref) => {
    if (!this.#disposed) this.#admission.drop(ref)
  }

  leave: OrderSink["leave"] = (ref) => {
    if (!this.#disposed) this.#admission.leave(ref)
  }

  takeSnapshot: OrderSink["takeSnapshot"] = (requestId, final, peek) => {
    // What is pending stays so: it is reported and stored as if nobody had looked.
    if (peek === true) return void this.#tell(requestId)
    if (final && !this.#disposed) {
      this.#ticks?.stop()
      const { handlers } = this.#core
      this.#core.hook("onDispose", () => handlers.onDispose?.(this.#room))
      this.#disposed = true
      this.#core.calls.end()
    }
    // Changes that are pending now are in the snapshot: they must not be reported again.
    this.#core.flushPatch()
    if (final) this.#replays?.close()
    this.#core.endTurn()
    this.#core.saves.gather()
    this.#core.over ||= final
    if (this.#tell(requestId)) this.#core.markStored()
  }

  /** @returns whether the state fits */
  #tell(requestId: number): boolean {
    const bytes = this.#encode()
    const fits = bytes.length <= RuntimeLimits.snapshotBytes.max
    this.#core.send(
      fits ? Reports.snapshot(requestId, bytes) : Reports.snapshotTooLarge(requestId, bytes.length)
    )
    return fits
  }

  saved: OrderSink["saved"] = (saveId, stored, wall) => this.#core.saves.saved(saveId, stored, wall)

  clock: OrderSink["clock"] = (nowMs, runs) => this.#core.clock.move(nowMs, runs)

  ping: OrderSink["ping"] = (number) => {
    const isRead = this.#core.start.readsOverruns === true
    this.#core.send(Reports.pong(number, isRead ? (this.#ticks?.overruns ?? 0) : null))
  }

  weigh: OrderSink["weigh"] = (number) =>
    this.#core.send(Reports.weighed(number, this.#core.port.liveBytes()))

  callAnswered: OrderSink["callAnswered"] = (callId, answer) =>
    this.#core.calls.answered(callId, answer)

  takeChunk: OrderSink["takeChunk"] = (requestId, wanted) =>
    this.#replays?.takeChunk(requestId, wanted)

  makeClip: OrderSink["makeClip"] = (requestId, options) => {
    if (this.#replays !== null) return this.#replays.makeClip(requestId, options)
    const { code, message } = replayOff()
    this.#core.send(Reports.clipMade(requestId, { _tag: "Refused", code, message }))
  }

  recordingEnded: OrderSink["recordingEnded"] = (replayId, why) =>
    this.#replays?.recordingEnded(replayId, why)

  ringBytes: OrderSink["ringBytes"] = (bytes) => this.#replays?.resize(bytes)

  /** Writes to the room's log. */
  logError(where: string, error: unknown): void {
    this.#core.logError(where, error)
  }

  #create(): void {
    this.#physics.start(this.#room, null)
    const answer = this.#core.handlers.onCreate?.(this.#room)
    if (!isPromise(answer)) return
    // As if it had thrown at once: a room that is only half made must not go on.
    answer.then(undefined, (error: unknown) => failRoom(this.#core.port, error))
  }

  #restore({ bytes, schema }: NonNullable<StartOrder["snapshot"]>): void {
    const saved = decodeSnapshotFile(bytes)
    demandLayout(saved, this.#core, schema)
    if (schema === null) this.#core.state.loadSnapshot(saved.state)
    else this.#core.state.migrateSnapshot(schema, saved.state)
    this.#core.tick = saved.tick
    this.#core.patches = saved.patches
    this.#core.random = makeRandom(saved.random)
    this.#physics.start(this.#room, saved.physics ?? null)
    this.#admission.restore(saved.sessions)
  }

  #encode(): Uint8Array {
    const { schema, stored, state, sessions, tick, patches, random, lobby, voice } = this.#core
    return encodeSnapshotFile({
      state: state.encodeSnapshot(),
      ...layoutOf(schema, stored),
      sessions: Array.from(sessions, (session) => savedOf(session, voice.of(session.identity.id))),
      tick,
      patches,
      random: random.state(),
      lobby,
      ...this.#physics.save()
    })
  }

  #due(): void {
    if (this.#disposed) return
    const nowMs = this.#core.clock.nowMs()
    const { handlers, alarms } = this.#core
    for (const name of alarms.takeDue(nowMs)) {
      this.#core.hook("onAlarm", () => handlers.onAlarm?.(this.#room, name))
    }
    this.#admission.lapse(nowMs)
    this.#core.touch()
  }

  #tick(count: number): void {
    const { handlers, schema } = this.#core
    for (let run = 0; run < count; run++) {
      this.#core.tick++
      const step = { dtMs: 1000 / schema.tickHz, tick: this.#core.tick }
      this.#core.hook("onTick", () => handlers.onTick?.(this.#room, step))
      this.#physics.step(this.#core.tick)
    }
    this.#core.flushPatch()
    this.#core.endTurn()
  }
}

/** A service, or a process, that is older than the SDK keeps no replays. */
const replaysOf = (core: RoomCore): RoomReplays | null => {
  const { schema, start, port } = core
  if (schema.replay === null || start.keepsReplays !== true) return null
  if (port.compression === undefined) return null
  const replays = new RoomReplays(core, schema.replay, port.compression)
  core.recorder = replays.recorder
  return replays
}

const savedOf = (session: Session, voice: VoiceGroups | null): SavedSession => {
  const { match, ...identity } = session.identity
  return {
    ...identity,
    ...(match === null ? {} : { match }),
    ...(voice === null ? {} : { voice }),
    resumeHash: session.resumeHash,
    previousResumeHash: session.previousResumeHash,
    droppedAtMs: session.droppedAtMs,
    player: session.player.pack()
  }
}
