import { RateLedger } from "@atrium/domain/shared/RateLedger"
import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { MinuteMs } from "@atrium/wire/limits/Limit"
import { makeBucket, takeToken } from "@atrium/wire/limits/TokenBucket"

import { PlanLimits } from "../PlanLimits.ts"
import type { LimitName } from "../Refusals.ts"
import type { Arrival } from "./Arrivals.ts"
import { type Ground, Kinds } from "./Ground.ts"

/** How players get into rooms: the door's limits, the queue, the start of a room, and what a client does then. */
export class Joins {
  readonly #ground: Ground
  readonly #persistent: Array<number> = []
  readonly #matchOfProject = makeBucket(PlanLimits.matchByProject, 0)
  readonly #matchOfAddress = new RateLedger(PlanLimits.matchByAddress)
  #tickets: Array<number> = []

  constructor(ground: Ground) {
    this.#ground = ground
  }

  arrive({ lengthMs, address, persistentRoom, talks }: Arrival): void {
    const { counts, sessions, nowMs } = this.#ground
    counts.started += 1
    const at = sessions.add({
      stage: "waiting",
      room: -1,
      next: -1,
      previous: -1,
      lengthMs,
      address,
      persistentRoom,
      talks,
      talking: false,
      sinceMs: nowMs,
      attempts: 0,
      queuedMs: 0,
      pending: 0
    })
    this.attempt(at)
  }

  /** A client tries to get in, or back into the room that dropped it. */
  attempt(at: number): void {
    const session = this.#ground.sessions.at(at)
    if (session.stage === "dropped") return this.#enter(at, session.room)
    if (session.stage !== "waiting") return
    const own = session.persistentRoom
    if (own >= 0) {
      const room = (this.#persistent[own] ??= this.#ground.rooms.make("named"))
      if (this.#ground.rooms.at(room).players < this.#ground.scenario.game.maxClients) {
        return this.#enter(at, room)
      }
    }
    if (this.#ground.scenario.session.matchmaking !== undefined) return this.#queue(at)
    this.#enter(at, this.#ground.open.fullest())
  }

  /** Nobody else came in time. */
  noMatch(at: number): void {
    const session = this.#ground.sessions.at(at)
    const place = this.#tickets.indexOf(at)
    const isOver = session.queuedMs + PlanLimits.matchWait.ms <= this.#ground.nowMs
    if (session.stage !== "waiting" || place < 0 || !isOver) return
    this.#tickets.splice(place, 1)
    this.#giveUp(at, "noMatch")
  }

  #queue(at: number): void {
    const { nowMs, sessions, scenario } = this.#ground
    const { address } = sessions.at(at)
    const isOver =
      address >= 0 && this.#matchOfAddress.take(String(address), nowMs) > 0
        ? "matchPerAddress"
        : takeToken(this.#matchOfProject, PlanLimits.matchByProject, nowMs)
          ? null
          : "matchPerProject"
    if (isOver !== null) return this.#giveUp(at, isOver)
    this.#tickets.push(at)
    sessions.at(at).queuedMs = nowMs
    if (this.#tickets.length < scenario.game.maxClients) {
      return this.#ground.afterOf(at, PlanLimits.matchWait.ms, Kinds.noMatch)
    }
    const matched = this.#tickets
    this.#tickets = []
    const room = this.#ground.rooms.make("matched")
    for (const each of matched) this.#enter(each, room)
    this.#ground.forgetIfOver(room)
  }

  /** @param wanted the room; -1 = a new one */
  #enter(at: number, wanted: number): void {
    const { servers, rooms, sessions, walls, nowMs } = this.#ground
    const session = sessions.at(at)
    const caller = { address: session.address, nowMs }
    const starts = wanted < 0 || !rooms.isAwake(wanted)
    const wall = starts ? walls.atWake() : null
    const server = starts ? servers.likely() : rooms.serverOf(wanted)
    const limit =
      servers.refusalOfJoin(server, caller) ??
      (starts ? servers.refusalOfStart(server, caller) : null) ??
      (wanted < 0 && wall !== null ? rooms.refusalOfNew(wall) : null)
    if (limit !== null) return this.#refused(at, limit)
    const room = wanted < 0 ? rooms.make("open") : wanted
    const refused = starts ? this.#ground.wake(room) : null
    if (refused !== null) {
      if (wanted < 0) rooms.forget(room)
      return this.#refused(at, refused)
    }
    this.#welcome(at, room, !starts)
  }

  #welcome(at: number, room: number, awake: boolean): void {
    const { usage, sessions, rooms, counts } = this.#ground
    const session = sessions.at(at)
    const back = session.stage === "dropped"
    const held = rooms.at(room)
    usage.joined(awake)
    session.stage = "joined"
    session.room = room
    session.attempts = 0
    sessions.enter(at, held)
    if (back) held.awaited -= 1
    this.#ground.setPlayers(room, held.players + 1)
    if (back) return
    counts.played += 1
    this.#ground.afterOf(at, session.lengthMs, Kinds.leave)
    if (session.talks) this.#call(at)
  }

  /** Only a new call meets the wall of voice. */
  #call(at: number): void {
    const { walls, usage, sessions, scenario } = this.#ground
    const session = sessions.at(at)
    if (walls.standing("voiceMinutes") === "walled") return this.#ground.refuse("voiceWall", 0)
    session.talking = true
    usage.talking += 1
    const lengthMs = Math.min(session.lengthMs, scenario.game.voice.minutes * MinuteMs)
    this.#ground.afterOf(at, lengthMs, Kinds.callEnd)
  }

  /** What the SDK's client does: it waits for a server that takes no rooms now, and for the room that dropped it. */
  #refused(at: number, limit: LimitName): void {
    const { sessions, nowMs, chance } = this.#ground
    const session = sessions.at(at)
    const back = session.stage === "dropped"
    const waits = back ? !isWall(limit) : limit === "serversFull"
    const forMs = back ? ClientLimits.clientReconnect.ms : ClientLimits.clientWaking.ms
    if (!waits || nowMs >= session.sinceMs + forMs) return this.#giveUp(at, limit)
    this.#ground.refuse(limit, 0)
    const boundMs = ClientLimits.clientBackoffBase.ms * 2 ** session.attempts
    session.attempts += 1
    const waitMs = chance.share() * Math.min(ClientLimits.clientBackoffCap.ms, boundMs)
    this.#ground.afterOf(at, Math.max(1, waitMs), Kinds.attempt)
  }

  #giveUp(at: number, limit: LimitName): void {
    const { sessions, counts } = this.#ground
    const session = sessions.at(at)
    this.#ground.refuse(limit, 1)
    if (session.stage === "dropped") return this.lose(at)
    session.stage = "over"
    counts.refused += 1
    sessions.release(at)
  }

  /** A dropped player does not come back. */
  lose(at: number): void {
    const { sessions, counts, rooms } = this.#ground
    const session = sessions.at(at)
    rooms.at(session.room).awaited -= 1
    session.stage = "over"
    counts.played -= 1
    counts.lost += 1
    this.#ground.forgetIfOver(session.room)
  }
}

const isWall = (limit: LimitName): boolean => limit === "roomHoursWall" || limit === "dataOutWall"
