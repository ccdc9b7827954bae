import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import type { ClientAddress } from "@atrium/domain/shared/ClientAddress"
import { connectionRate } from "@atrium/domain/shared/ConnectionRate"
import { isProjectId } from "@atrium/domain/shared/Ids"
import { RateLedger } from "@atrium/domain/shared/RateLedger"

/** The room that somebody wants into. */
export interface DoorTarget {
  readonly projectId: string
  readonly roomId: string
}

/** The facts about servers that the door needs. */
export interface DoorServers {
  /** The server that holds the room now; 0 when none does. */
  indexOf(target: DoorTarget): number
  /** New connections a minute that it lets an address make; `null` = it never started here. */
  perMinute(projectId: string, index: number): number | null
  /** The same where nothing else is known. */
  readonly perMinuteDefault: number
}

/** Whether a connection is allowed. `Cut` = the address was refused so often that no handshake is made. */
export type Entry =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Refused" | "Cut"; readonly retryAfterMs: number }

/** A room on its way up, and the joins that wait for it. */
interface Waking {
  readonly payer: string | null
  joins: number
  /** Whether any of them may have brought something up. */
  started: boolean
}

const open: Entry = { _tag: "Open" }

/** How often the door refused so far; of connections, `handshakes` were not even told why. */
export interface DoorRefusals {
  readonly connections: number
  readonly handshakes: number
  readonly joins: number
  readonly rooms: number
}

/**
 * The limits of connections, joins and new rooms, counted for each address and server. A server that
 * never started here is known by the name that a caller gives, which may be anybody's invention: so
 * an address has one allowance for all of those together besides. Source: C-131.
 */
export class RoomDoor {
  readonly #servers: DoorServers
  readonly #connections: RateLedger
  readonly #refusals: RateLedger
  readonly #toUnknown: RateLedger
  readonly #joins = new RateLedger(ConnectionLimits.joinsByAddress)
  readonly #projectJoins = new RateLedger(ConnectionLimits.joins)
  readonly #newRooms = new RateLedger(ConnectionLimits.newRooms)
  readonly #waking = new Map<string, Waking>()
  readonly #unwelcomed = new Map<string, number>()
  readonly #refused = { connections: 0, handshakes: 0, joins: 0, rooms: 0 }

  get refusals(): DoorRefusals {
    return this.#refused
  }

  constructor(servers: DoorServers) {
    const rate = connectionRate(servers.perMinuteDefault)
    this.#servers = servers
    this.#connections = new RateLedger(rate)
    this.#refusals = new RateLedger(rate)
    const toUnknown = Math.max(
      servers.perMinuteDefault,
      ConnectionLimits.connectionsToUnknown.burst
    )
    this.#toUnknown = new RateLedger(connectionRate(toUnknown))
  }

  /** A connection is about to be made. Spec: New connections per client address per minute. */
  connect({ subject, exempt }: ClientAddress, target: DoorTarget, nowMs: number): Entry {
    if (exempt) return open
    const { projectId } = target
    const index = this.#servers.indexOf(target)
    const perMinute = this.#servers.perMinute(projectId, index)
    const rate = connectionRate(perMinute ?? this.#servers.perMinuteDefault)
    const key = `${projectId}/${index} ${subject}`
    let retryAfterMs = perMinute === null ? this.#toUnknown.take(subject, nowMs) : 0
    if (retryAfterMs === 0 && isProjectId(projectId)) {
      retryAfterMs = this.#connections.take(key, nowMs, rate)
    }
    if (retryAfterMs === 0) return open
    // A refusal costs a handshake, and browsers learn its reason from nothing else.
    const told = this.#refusals.take(perMinute === null ? subject : key, nowMs, rate) === 0
    this.#refused[told ? "connections" : "handshakes"]++
    return { _tag: told ? "Refused" : "Cut", retryAfterMs }
  }

  /** Takes a place among those that are not in their rooms yet; `false` = the address has too many. */
  waits({ subject, exempt }: ClientAddress): boolean {
    if (exempt) return true
    const waiting = this.#unwelcomed.get(subject) ?? 0
    if (waiting >= ConnectionLimits.unwelcomed.max) return this.#refuses("handshakes")
    this.#unwelcomed.set(subject, waiting + 1)
    return true
  }

  /** Gives that place back. */
  waited({ subject, exempt }: ClientAddress): void {
    if (exempt) return
    const waiting = this.#unwelcomed.get(subject) ?? 0
    if (waiting > 1) this.#unwelcomed.set(subject, waiting - 1)
    else this.#unwelcomed.delete(subject)
  }

  /** A client said hello. Spec: Joins per client address per minute. */
  join({ subject, exempt }: ClientAddress, target: DoorTarget, nowMs: number): boolean {
    if (exempt || this.#joins.take(`${this.#serverOf(target)} ${subject}`, nowMs) === 0) return true
    return this.#refuses("joins")
  }

  /** Its credential is good: a stranger's hello costs the project nothing. */
  joinOfProject(target: DoorTarget, nowMs: number): boolean {
    return this.#projectJoins.take(this.#serverOf(target), nowMs) === 0 || this.#refuses("joins")
  }

  /**
   * A join is about to make or wake a room. Of those that come while it is on its way up only the first
   * is counted, as there is one new room. Each that was let in calls {@link woken}.
   */
  wake({ subject, exempt }: ClientAddress, target: DoorTarget, nowMs: number): boolean {
    const room = roomOf(target)
    const waking = this.#waking.get(room)
    if (waking !== undefined) {
      waking.joins++
      return true
    }
    const payer = exempt ? null : `${this.#serverOf(target)} ${subject}`
    if (payer !== null && this.#newRooms.take(payer, nowMs) > 0) return this.#refuses("rooms")
    this.#waking.set(room, { payer, joins: 1, started: false })
    return true
  }

  /** @param nothing there was no such room, nor was one made: that is given back if it is so for all */
  woken(target: DoorTarget, nothing: boolean): void {
    const room = roomOf(target)
    const waking = this.#waking.get(room)
    if (waking === undefined) return
    waking.joins--
    waking.started ||= !nothing
    if (waking.joins > 0) return
    this.#waking.delete(room)
    if (!waking.started && waking.payer !== null) this.#newRooms.giveBack(waking.payer)
  }

  #refuses(what: keyof DoorRefusals): false {
    this.#refused[what]++
    return false
  }

  #serverOf(target: DoorTarget): string {
    return `${target.projectId}/${this.#servers.indexOf(target)}`
  }
}

const roomOf = ({ projectId, roomId }: DoorTarget): string => `${projectId}/${roomId}`
