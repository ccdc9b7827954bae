import { RoomFrames } from "@atrium/runtime/room/ClientFrames"
import { makeRandom, seedState } from "@atrium/runtime/room/SeededRandom"
import { ServiceClock } from "@atrium/runtime/room/ServiceClock"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import type { AnyRoomSchema } from "@atrium/wire/schema"

import type { JoinRequest, RoomProcessListener, RoomStart } from "../process/RoomProcess.ts"
import { RelayConnections } from "./RelayConnections.ts"
import { RelayContents } from "./RelayContents.ts"
import { tableShapesOf } from "./RelayFieldSizes.ts"
import { RelayFrames } from "./RelayFrames.ts"
import { dueAtMs, step } from "./RelayMachine.ts"
import type { RelayPort } from "./RelayPort.ts"
import { decodeRelaySnapshot, encodeRelaySnapshot, type KeptOwner } from "./RelaySnapshot.ts"
import {
  newRelay,
  type RelayAction,
  type RelayEvent,
  type RelaySeatCaps,
  type RelayState
} from "./RelayState.ts"

/** The values that a relay room is made from. */
export interface RelayRoomSettings {
  readonly schema: AnyRoomSchema
  readonly seats: RelaySeatCaps
  readonly reconnectForMs: number
}

interface Beginning {
  readonly port: RelayPort
  readonly start: RoomStart
}

/**
 * The shell of a relay room that runs: steps its machine, and performs the actions. Writes of one turn
 * of the event loop make one patch.
 */
export class LiveRelay {
  readonly #listener: RoomProcessListener
  readonly #port: RelayPort
  readonly #start: RoomStart
  readonly #contents: RelayContents
  readonly #clock: ServiceClock
  readonly #connections: RelayConnections
  #state: RelayState
  /** Joins wait until the gate has seated their clients. */
  #joins: Array<JoinRequest> = []
  /** Acknowledgements that follow the patch of this turn. */
  #acks: Array<readonly [ref: number, frame: Uint8Array]> = []
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
    this.#state = newRelay({ tables: tableShapesOf(schema), seats, reconnectForMs })
    this.#contents = new RelayContents(schema, () => this.#touch())
    this.#clock = new ServiceClock(port, {
      nowMs: start.nowMs,
      runs: start.clockRuns,
      onDue: () => this.#timePassed()
    })
    this.#connections = new RelayConnections(
      {
        shapes: this.#contents.shapes,
        nowMs: () => this.#clock.nowMs(),
        state: () => this.#state,
        step: (event) => this.#step(event)
      },
      listener
    )
  }

  /** Errors: those of the stored bytes. */
  restore(): void {
    const { snapshot, nowMs } = this.#start
    if (snapshot === null) return
    const saved = decodeRelaySnapshot(snapshot.bytes)
    this.#patches = saved.patches
    this.#random = saved.random
    const owners = new Map<string, string>()
    for (const [collection, key, id] of saved.owners) owners.set(`${collection} ${key}`, id)
    const ownerOf = (collection: string, key: number): string | null =>
      owners.get(`${collection} ${key}`) ?? null
    const tables = this.#contents.load(saved.state, ownerOf)
    const { sessions } = saved
    const [loaded] = step(this.#state, { _tag: "SnapshotLoaded", sessions, tables, nowMs })
    this.#state = loaded
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
    if (!this.#stopped) this.#connections.frame(ref, frame)
  }

  drop(ref: number): void {
    const from = this.#closed(ref)
    if (from === undefined) return
    this.#step({ _tag: "ClientDropped", from, nowMs: this.#clock.nowMs() })
  }

  leave(ref: number): void {
    const from = this.#closed(ref)
    if (from !== undefined) this.#step({ _tag: "ClientLeft", from })
  }

  takeSnapshot(requestId: number, final: boolean): void {
    if (this.#stopped) return
    this.#flush()
    if (final) this.stop()
    const bytes = this.#encode()
    this.#changedReported = false
    this.#listener.snapshot(requestId, bytes)
  }

  /** Somebody looks: what is pending stays so. */
  peek(requestId: number): void {
    if (!this.#stopped) this.#listener.snapshot(requestId, this.#encode())
  }

  clockMoved(nowMs: number, runs: boolean): void {
    this.#clock.move(nowMs, runs)
  }

  /** Nothing moves from here on. */
  stop(): void {
    this.#stopped = true
    this.#clock.wakeAt(null)
  }

  /** @returns the session of a connection that has ended */
  #closed(ref: number): string | undefined {
    // A client that has not joined yet never will.
    this.#joins = this.#joins.filter((request) => request.ref !== ref)
    if (this.#stopped) return undefined
    const sessionId = this.#connections.sessionIdOf(ref)
    this.#connections.close(ref)
    return sessionId
  }

  #settleJoins(): void {
    const joins = this.#joins
    this.#joins = []
    for (const request of joins) if (!this.#stopped) this.#enter(request)
  }

  #enter(request: JoinRequest): void {
    const { ref, sessionId, playerId, name, role, resumeHash, nextResumeHash, attachedAs } = request
    this.#step({
      _tag: "ClientEntered",
      ref,
      sessionId,
      playerId,
      name,
      role,
      resumeHash,
      nextResumeHash,
      attachedAs,
      ...(request.seatsKept === undefined ? {} : { seatsKept: request.seatsKept }),
      nowMs: this.#clock.nowMs()
    })
  }

  #timePassed(): void {
    if (this.#stopped) return
    this.#step({ _tag: "TimePassed", nowMs: this.#clock.nowMs() })
    this.#wake()
  }

  #step(event: RelayEvent): void {
    const before = this.#state
    const [next, actions] = step(before, event)
    this.#state = next
    // A snapshot has the sessions and the tables, and not the requests.
    if (next.sessions !== before.sessions || next.tables !== before.tables) this.#markChanged()
    if (next !== before) this.#touch()
    for (const action of actions) this.#perform(action)
  }

  #perform(action: RelayAction): void {
    switch (action._tag) {
      case "AdmitClient":
        return this.#admit(action)
      case "RefuseClient":
        return this.#listener.refused(action.ref, fullOf[action.full])
      case "CloseReplaced": {
        this.#connections.close(action.ref)
        const { code } = CloseCodes.normal
        return this.#listener.kick(action.ref, { code, reason: "resumed elsewhere" })
      }
      case "EndSession":
        return this.#connections.endSession(action.sessionId)
      case "ApplyWrite":
        return this.#contents.apply(action.write)
      case "AcknowledgeWrite":
        return this.#acknowledge(action)
      case "Refuse": {
        const ref = this.#refOf(action.to)
        if (ref !== null) this.#connections.refuse(ref, action.refusal, action.re)
        return
      }
      case "AnswerOwnership":
      case "AskOwner": {
        const ref = this.#refOf(action.to)
        if (ref !== null) this.#listener.deliver([ref], RelayFrames.notice(action))
      }
    }
  }

  /** The clients that are in get the changes of this turn as a patch, the new one in its state. */
  #admit({ ref, sessionId, resumed }: Extract<RelayAction, { _tag: "AdmitClient" }>): void {
    const session = this.#state.sessions.get(sessionId)
    if (session === undefined) return
    this.#flush()
    this.#connections.open(session, ref)
    this.#listener.joined(ref, {
      sessionId,
      resumed,
      tick: this.#patches,
      state: this.#contents.full()
    })
  }

  #acknowledge({ to, id, keys }: Extract<RelayAction, { _tag: "AcknowledgeWrite" }>): void {
    const ref = this.#refOf(to)
    if (ref !== null) this.#acks.push([ref, RelayFrames.ack(id, keys)])
    this.#touch()
  }

  #refOf(sessionId: string): number | null {
    return this.#state.sessions.get(sessionId)?.ref ?? null
  }

  #wake(): void {
    if (!this.#stopped) this.#clock.wakeAt(dueAtMs(this.#state))
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

  /** Sends what changed to the clients that are in, then the answers to those that changed it. */
  #flush(): void {
    if (this.#contents.dirty) {
      this.#markChanged()
      this.#patch()
    }
    if (this.#acks.length === 0) return
    const acks = this.#acks
    this.#acks = []
    for (const [ref, ack] of acks) this.#listener.deliver([ref], ack)
  }

  #patch(): void {
    if (this.#connections.size === 0) return this.#contents.discardDelta()
    const delta = this.#contents.delta()
    if (delta === null) return
    this.#patches++
    this.#listener.deliver("all", RoomFrames.patch(this.#patches, delta))
  }

  #encode(): Uint8Array {
    const { sessions } = this.#state
    return encodeRelaySnapshot({
      state: this.#contents.snapshot(),
      sessions: Array.from(sessions.values(), (session) => ({
        id: session.id,
        playerId: session.playerId,
        name: session.name,
        role: session.role,
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
    const { tables, sessions } = this.#state
    return tables.list.flatMap(({ name, records }) =>
      records.flatMap(({ id, owner }): ReadonlyArray<KeptOwner> =>
        owner === null || !sessions.has(owner) ? [] : [[name, id, owner]]
      )
    )
  }
}

const noFields = new Uint8Array(0)

const fullOf = {
  players: { code: CloseCodes.full.name, message: "the room has all its players" },
  viewers: { code: CloseCodes.audienceFull.name, message: "the room has all its viewers" }
} as const
