import { nthOf } from "@atrium/actors/servers/ServerIndex"
import {
  emptyServer,
  ServerEvent,
  type ServerState,
  step
} from "@atrium/actors/servers/ServerMachine"
import { choosePlace } from "@atrium/actors/servers/ServerPlacing"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import type { Tier } from "@atrium/domain/meters/Caps"
import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { roomsMibOf } from "@atrium/domain/projects/ServerSettings"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { connectionRate } from "@atrium/domain/shared/ConnectionRate"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import { makeBucket, takeToken, type TokenBucket } from "@atrium/wire/limits/TokenBucket"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"

import type { LimitName } from "../Refusals.ts"

interface Server {
  state: ServerState
  cost: number
  readonly joins: TokenBucket
  readonly connectionsByAddress: RateLedger
  readonly joinsByAddress: RateLedger
  readonly newRoomsByAddress: RateLedger
}

/** Who knocks at a server; -1 = an address that nobody else has, which no limit by address meets. */
export interface Caller {
  readonly address: number
  readonly nowMs: number
}

/** What a server answers to a room that wants a place. */
export type Admission = "admitted" | "full" | "refused"

/**
 * The servers of the project: ServerMachine decides which rooms they take, `choosePlace` which one is
 * asked, and buckets of the door which clients. All servers are those of one runner that never fills:
 * how many machines they need is counted from what they use.
 */
export class Servers {
  readonly #class: RoomClass
  readonly #tier: Tier
  readonly #cost: number
  readonly #connections = connectionRate(ProjectLimits.connectionsPerIpPerMinDefault.max)
  #servers: Array<Server> = []
  #lowest = 0

  constructor(roomClass: RoomClass, tier: Tier) {
    this.#class = roomClass
    this.#tier = tier
    this.#cost = RoomClasses[roomClass].cost
  }

  /** The server that a room is to ask; `null` = every one has refused it. */
  choose(without: ReadonlySet<number>): number | null {
    const seen = [...new Set([0, this.#lowestWithRoom()])].flatMap((nth) => {
      const server = this.#servers[nth]
      return server === undefined
        ? []
        : [{ nth, home: 0, cost: server.cost, spare: false, sinceMs: 0 }]
    })
    const chosen = choosePlace(
      {
        servers: seen,
        homes: [{ home: 0, setting: "open", load: 0, freeBytes: null }],
        last: this.#servers.length - 1,
        free: this.#tier === "free",
        sentTo: null
      },
      { class: this.#class, own: 0, without, leaving: new Set() }
    )
    if (chosen === null) return null
    return chosen._tag === "Held" ? nthOf(chosen.serverIndex) : chosen.nth
  }

  /** The server whose door a client comes to that wants a room started. */
  likely(): number {
    return Math.min(this.#lowestWithRoom(), ServerLimits.serversPerProject.max - 1)
  }

  admit(nth: number, room: { readonly roomId: string; readonly epoch: number }): Admission {
    const server = this.#at(nth)
    const [state, actions] = step(
      server.state,
      ServerEvent.AdmitAsked({
        ...room,
        nth,
        class: this.#class,
        terms: { plan: this.#tier, roomsMib: roomsMibOf([this.#class]) },
        intake: "open"
      })
    )
    server.state = state
    if (actions.some(({ _tag }) => _tag === "Admit")) {
      server.cost += this.#cost
      return "admitted"
    }
    return actions.some(({ _tag }) => _tag === "RefuseFull") ? "full" : "refused"
  }

  gone(nth: number, room: { readonly roomId: string; readonly epoch: number }): void {
    const server = this.#at(nth)
    const [state] = step(server.state, ServerEvent.RoomGone(room))
    if (state === server.state) return
    server.state = state
    server.cost -= this.#cost
    this.#lowest = Math.min(this.#lowest, nth)
  }

  /** The limit that a connection and its join meet at this server; `null` = none. */
  refusalOfJoin(nth: number, { address, nowMs }: Caller): LimitName | null {
    const server = this.#at(nth)
    if (address >= 0) {
      const name = String(address)
      if (server.connectionsByAddress.take(name, nowMs) > 0) return "connectionsPerAddress"
      if (server.joinsByAddress.take(name, nowMs) > 0) return "joinsPerAddress"
    }
    return takeToken(server.joins, ConnectionLimits.joins, nowMs) ? null : "joinsPerServer"
  }

  /** The limit that a join meets which starts a room. */
  refusalOfStart(nth: number, { address, nowMs }: Caller): LimitName | null {
    if (address < 0) return null
    const { newRoomsByAddress } = this.#at(nth)
    return newRoomsByAddress.take(String(address), nowMs) > 0 ? "newRoomsPerAddress" : null
  }

  #make(): Server {
    return {
      state: emptyServer,
      cost: 0,
      joins: makeBucket(ConnectionLimits.joins, 0),
      connectionsByAddress: new RateLedger(this.#connections),
      joinsByAddress: new RateLedger(ConnectionLimits.joinsByAddress),
      newRoomsByAddress: new RateLedger(ConnectionLimits.newRooms)
    }
  }

  #at(nth: number): Server {
    while (this.#servers.length <= nth) this.#servers.push(this.#make())
    // The loop has just made it.
    return this.#servers[nth] as Server
  }

  #lowestWithRoom(): number {
    const full = ServerLimits.serverBudget.max - this.#cost
    while ((this.#servers[this.#lowest]?.cost ?? 0) > full) this.#lowest += 1
    return this.#lowest
  }
}
