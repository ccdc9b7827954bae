import type { Calibration } from "../../calibration/Calibration.ts"
import type { Scenario } from "../../scenario/Scenario.ts"
import type { PlanPeriod } from "../PlanPeriod.ts"
import { type LimitName, noRefusals, type Refusals } from "../Refusals.ts"
import { Chance } from "./Chance.ts"
import { EventHeap } from "./EventHeap.ts"
import { FillLists } from "./FillLists.ts"
import { MeterWalls } from "./MeterWalls.ts"
import { type Ending, RoomPool } from "./RoomPool.ts"
import { Servers } from "./Servers.ts"
import { Sessions } from "./Sessions.ts"
import { Stored } from "./Stored.ts"
import { Usage } from "./Usage.ts"

/** What a run is made of. The same of all makes the same run. */
export interface RunInput {
  readonly scenario: Scenario
  readonly calibration: Calibration
  readonly period: PlanPeriod
  readonly seed: string
  /** Time of the period that is left out at its beginning: whole minutes. */
  readonly skippedMs: number
}

/** The kinds of events on the heap. */
export const Kinds = {
  /** A session has lasted as long as its player wanted. */
  leave: 0,
  callEnd: 1,
  /** An empty room may have been empty for long enough. */
  empty: 2,
  /** A player tries to get in, or back in. */
  attempt: 3,
  noMatch: 4,
  scheduled: 5,
  wall: 6,
  runaway: 7
} as const

/** Where the sessions of a run are: each one in one of these. */
export interface SessionCounts {
  started: number
  /** Got in, and stayed as long as they wanted, or are in still. */
  played: number
  /** Got in, and were dropped for good. */
  lost: number
  /** Never got in. */
  refused: number
}

/** What the parts of a run share: the world that they change, and the moment it is. */
export class Ground {
  readonly input: RunInput
  readonly scenario: Scenario
  readonly heap = new EventHeap()
  readonly servers: Servers
  readonly rooms: RoomPool
  readonly sessions = new Sessions()
  readonly usage: Usage
  readonly walls: MeterWalls
  readonly stored: Stored
  readonly open: FillLists
  readonly chance: Chance
  readonly refusals: Refusals = noRefusals()
  readonly counts: SessionCounts = { started: 0, played: 0, lost: 0, refused: 0 }
  roomsStarted = 0
  roomsWoken = 0
  nowMs: number

  constructor(input: RunInput) {
    const { scenario, calibration, period, seed } = input
    const { game, plan } = scenario
    this.input = input
    this.scenario = scenario
    this.servers = new Servers(game.class, plan.tier)
    this.rooms = new RoomPool(this.servers, { type: "game", class: game.class, version: 1 })
    this.usage = new Usage(scenario, calibration)
    this.walls = new MeterWalls(scenario)
    this.stored = new Stored(scenario)
    this.open = new FillLists(game.maxClients)
    this.chance = new Chance(`${seed}/service`)
    this.nowMs = period.startMs + input.skippedMs
  }

  after(waitMs: number, kind: number, subject: number): void {
    this.heap.push({ atMs: this.nowMs + waitMs, kind, subject })
  }

  /** An event of a session, which stays in its place until the event has come. */
  afterOf(session: number, waitMs: number, kind: number): void {
    this.sessions.at(session).pending += 1
    this.after(waitMs, kind, session)
  }

  refuse(limit: LimitName, players: 0 | 1): void {
    this.refusals[limit].attempts += 1
    this.refusals[limit].players += players
  }

  /** Starts or wakes a room. @returns the limit that refused it; `null` = it is up */
  wake(at: number): LimitName | null {
    const room = this.rooms.at(at)
    const fresh = room.state._tag === "Absent"
    const refused = this.rooms.wake(at, this.walls.atWake())
    if (refused !== null) return refused
    if (fresh) this.roomsStarted += 1
    else this.roomsWoken += 1
    room.wokeAtMs = this.nowMs
    room.emptySinceMs = this.nowMs
    this.usage.roomsAwake += 1
    if (room.use === "runaway") this.usage.runaways += 1
    this.usage.started(fresh)
    this.stored.woke(room, this.usage)
    if (room.use === "open") this.open.add(at, room.players)
    return null
  }

  /** So many rooms slept and woke at one moment. */
  wokeAgain(rooms: number): void {
    this.roomsWoken += rooms
    this.usage.started(false, rooms)
    this.usage.slept(rooms)
  }

  setPlayers(at: number, players: number): void {
    const room = this.rooms.at(at)
    if (room.use === "open" && this.rooms.isAwake(at)) {
      this.open.remove(at, room.players)
      this.open.add(at, players)
    }
    this.usage.players(room.players, players)
    room.players = players
    room.lastActiveMs = this.nowMs
  }

  /** The room is up and empty: it sleeps when it is still so after its span. */
  emptied(at: number): void {
    this.rooms.at(at).emptySinceMs = this.nowMs
    this.after(this.scenario.game.hibernateAfter, Kinds.empty, at)
  }

  /** An awake room without players goes down. */
  putAway(at: number, ending: Ending): void {
    const room = this.rooms.at(at)
    if (room.use === "open") this.open.remove(at, room.players)
    this.rooms.end(at, ending)
    this.usage.roomsAwake -= 1
    if (room.use === "runaway") this.usage.runaways -= 1
    if (ending !== "killed") this.usage.slept()
    const returns = room.use === "named" || room.awaited > 0
    this.stored.slept(room, at, { usage: this.usage, nowMs: this.nowMs, returns })
    this.forgetIfOver(at)
  }

  /** A room that nobody is in, or comes back to, leaves its place in the list. */
  forgetIfOver(at: number): void {
    const room = this.rooms.at(at)
    const isOver = room.players === 0 && room.awaited === 0 && !this.rooms.isAwake(at)
    if (isOver && room.use !== "named") this.rooms.forget(at)
  }
}
