import { ClientLimits } from "@atrium/wire/client/ClientLimits"

import { type Ground, Kinds } from "./Ground.ts"
import type { Ending } from "./RoomPool.ts"

/** What happens to rooms that are awake: they become empty, make way for a version, meet a wall, lose their runner. */
export class Outages {
  readonly #ground: Ground

  constructor(ground: Ground) {
    this.#ground = ground
  }

  /** A player has had enough, or is still away. */
  leave(at: number): void {
    const { sessions, rooms } = this.#ground
    const session = sessions.at(at)
    if (session.stage === "dropped") {
      // Away at the end of the session: it was as long as its player wanted.
      rooms.at(session.room).awaited -= 1
      session.stage = "over"
      return this.#ground.forgetIfOver(session.room)
    }
    if (session.stage !== "joined") return
    const room = rooms.at(session.room)
    this.hangUp(at)
    sessions.leave(at, room)
    session.stage = "over"
    this.#ground.setPlayers(session.room, room.players - 1)
    if (room.players === 0) this.#ground.emptied(session.room)
  }

  hangUp(at: number): void {
    const session = this.#ground.sessions.at(at)
    if (!session.talking) return
    session.talking = false
    this.#ground.usage.talking -= 1
  }

  /** Whether a room has been empty for its whole span is known when the span is over. */
  sleepIfEmpty(at: number): void {
    const { rooms, nowMs, scenario } = this.#ground
    const room = rooms.at(at)
    const isDue = room.emptySinceMs + scenario.game.hibernateAfter <= nowMs
    if (room.players > 0 || room.use === "runaway" || !isDue || !rooms.isAwake(at)) return
    this.#ground.putAway(at, "empty")
  }

  /** Every room makes way for a new version; players come back to it. */
  deploy(): void {
    const { rooms, walls } = this.#ground
    if (walls.standing("storageBytes") === "walled") return this.#ground.refuse("storageWall", 0)
    rooms.version += 1
    this.#dropAll("redeploy", { waitMs: 0, isHit: () => true })
  }

  /** @param machines how many runners there are; the rooms of one of them go */
  killRunner(machines: number): void {
    const { rooms, input } = this.#ground
    const isHit = (at: number): boolean => rooms.serverOf(at) % machines === 0
    this.#dropAll("killed", { waitMs: input.calibration.latency.failoverMs, isHit })
  }

  /** Nobody comes back before the wall lifts. */
  dataOutWall(): void {
    this.#dropAll("dataOut", { waitMs: null, isHit: () => true })
  }

  #dropAll(
    ending: Ending,
    { waitMs, isHit }: { readonly waitMs: number | null; readonly isHit: (at: number) => boolean }
  ): void {
    const { rooms } = this.#ground
    for (let at = 0; at < rooms.size; at++) {
      const { forgotten, use } = rooms.at(at)
      if (forgotten || use === "runaway" || !rooms.isAwake(at) || !isHit(at)) continue
      this.#drop(at, ending, waitMs)
    }
  }

  #drop(at: number, ending: Ending, waitMs: number | null): void {
    const { rooms, sessions } = this.#ground
    const room = rooms.at(at)
    const dropped = sessions.takeAll(room)
    this.#ground.setPlayers(at, 0)
    for (const each of dropped) this.#part(each, waitMs)
    this.#ground.putAway(at, ending)
  }

  /** @param waitMs until the player tries to come back; `null` = the client is told to stay away */
  #part(at: number, waitMs: number | null): void {
    const { sessions, rooms, counts, chance, scenario, nowMs } = this.#ground
    const session = sessions.at(at)
    this.hangUp(at)
    if (waitMs === null || chance.share() >= scenario.session.rejoinAfterDrop) {
      session.stage = "over"
      counts.played -= 1
      counts.lost += 1
      return
    }
    session.stage = "dropped"
    session.sinceMs = nowMs
    rooms.at(session.room).awaited += 1
    // Full jitter, as the client has: the longer it has tried, the wider it spreads.
    const boundMs = Math.min(
      ClientLimits.clientBackoffCap.ms,
      Math.max(waitMs, ClientLimits.clientBackoffBase.ms)
    )
    this.#ground.afterOf(at, waitMs + chance.share() * boundMs, Kinds.attempt)
  }
}
