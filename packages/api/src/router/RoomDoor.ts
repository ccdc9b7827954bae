import type { SharedRate } from "@atrium/actors/rates/OwnedRate"
import { RecentlyRead } from "@atrium/actors/store/RecentlyRead"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import type { ClientAddress } from "@atrium/domain/shared/ClientAddress"
import { connectionRate } from "@atrium/domain/shared/ConnectionRate"
import { isProjectId } from "@atrium/domain/shared/Ids"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import type { RateLimit } from "@atrium/wire/limits/Limit"

/** The room that a client asks for. */
export interface DoorTarget {
  readonly projectId: string
  readonly roomId: string
}

/** The facts about servers that the door needs. */
export interface DoorServers {
  /** Which server of its project holds the room now; `null` = none of this runner does. */
  nthOf(target: DoorTarget): number | null
  /** New connections a minute that the server lets an address make; `null` = it never started here. */
  perMinute(projectId: string, nth: number): number | null
  /** New connections a minute where the server is not known. */
  readonly perMinuteDefault: number
}

/** An answer that is there at once, or comes when the owner of a bucket has been asked. */
type SoonOr<A> = A | Promise<A>

const after = <A, B>(answer: SoonOr<A>, then: (answer: A) => B): SoonOr<B> =>
  answer instanceof Promise ? answer.then(then) : then(answer)

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
 * The limits of connections, joins and new rooms, counted for each address and server, and over all runners. A server
 * that never started here is known by the name that a caller gives, which may be anybody's invention: so an address has
 * one allowance of this runner for all of those together besides. Source: C-131, C-383.
 */
export class RoomDoor {
  readonly #servers: DoorServers
  readonly #connections: SharedRate
  readonly #refusals: RateLedger
  readonly #toUnknown: RateLedger
  readonly #joins: SharedRate
  readonly #projectJoins: SharedRate
  readonly #newRooms: SharedRate
  /** Servers of other runners, by the rooms in which this one seated somebody last. */
  readonly #elsewhere = new RecentlyRead<number>({
    weightMax: HttpLimits.rateSubjects.max,
    weightOf: () => 1
  })
  readonly #waking = new Map<string, Waking>()
  readonly #unwelcomed = new Map<string, number>()
  readonly #refused = { connections: 0, handshakes: 0, joins: 0, rooms: 0 }
  readonly #told: (projectId: string, limit: keyof DoorRefusals) => void

  get refusals(): DoorRefusals {
    return this.#refused
  }

  /**
   * @param shared counts a rate over all runners
   * @param told hears of each refusal on the way to a project
   */
  constructor(
    servers: DoorServers,
    shared: (limit: RateLimit) => SharedRate,
    told: (projectId: string, limit: keyof DoorRefusals) => void = () => undefined
  ) {
    this.#told = told
    const rate = connectionRate(servers.perMinuteDefault)
    this.#servers = servers
    this.#connections = shared(rate)
    this.#joins = shared(ConnectionLimits.joinsByAddress)
    this.#projectJoins = shared(ConnectionLimits.joins)
    this.#newRooms = shared(ConnectionLimits.newRooms)
    this.#refusals = new RateLedger(rate)
    const toUnknown = Math.max(
      servers.perMinuteDefault,
      ConnectionLimits.connectionsToUnknown.burst
    )
    this.#toUnknown = new RateLedger(connectionRate(toUnknown))
  }

  /** A connection is about to be made. Spec: New connections per client address per minute. */
  connect({ subject, exempt }: ClientAddress, target: DoorTarget, nowMs: number): SoonOr<Entry> {
    if (exempt) return open
    const { projectId } = target
    const nth = this.#nthOf(target)
    const perMinute = this.#servers.perMinute(projectId, nth)
    const rate = connectionRate(perMinute ?? this.#servers.perMinuteDefault)
    const key = `${projectId}/${nth} ${subject}`
    const entry = (retryAfterMs: number): Entry => {
      if (retryAfterMs === 0) return open
      // A refusal costs a handshake, and browsers learn its reason from nothing else.
      const told = this.#refusals.take(perMinute === null ? subject : key, nowMs, rate) === 0
      this.#refuses(told ? "connections" : "handshakes", projectId)
      return { _tag: told ? "Refused" : "Cut", retryAfterMs }
    }
    const toUnknownMs = perMinute === null ? this.#toUnknown.take(subject, nowMs) : 0
    if (toUnknownMs > 0 || !isProjectId(projectId)) return entry(toUnknownMs)
    return after(this.#connections.take(key, nowMs, rate), entry)
  }

  /** Takes a place among those that are not in their rooms yet; `false` = the address has too many. */
  waits({ subject, exempt }: ClientAddress): boolean {
    if (exempt) return true
    const waiting = this.#unwelcomed.get(subject) ?? 0
    if (waiting >= ConnectionLimits.unwelcomed.max) return this.#refuses("handshakes", null)
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
  join({ subject, exempt }: ClientAddress, target: DoorTarget, nowMs: number): SoonOr<boolean> {
    if (exempt) return true
    const taken = this.#joins.take(`${this.#serverOf(target)} ${subject}`, nowMs)
    return after(taken, (waitMs) => waitMs === 0 || this.#refuses("joins", target.projectId))
  }

  /** Its credential is good: a stranger's hello costs the project nothing. */
  joinOfProject(target: DoorTarget, nowMs: number): SoonOr<boolean> {
    const taken = this.#projectJoins.take(this.#serverOf(target), nowMs)
    return after(taken, (waitMs) => waitMs === 0 || this.#refuses("joins", target.projectId))
  }

  /**
   * A join is about to make or wake a room. Of those that come while it is on its way up only the first
   * is counted, as there is one new room. Each that was let in calls {@link woken}.
   */
  wake({ subject, exempt }: ClientAddress, target: DoorTarget, nowMs: number): SoonOr<boolean> {
    const room = roomOf(target)
    if (this.#wakesWith(room)) return true
    const payer = exempt ? null : `${this.#serverOf(target)} ${subject}`
    return after(payer === null ? 0 : this.#newRooms.take(payer, nowMs), (waitMs) => {
      // Another join may have paid for the room while the owner of the bucket was asked.
      if (this.#wakesWith(room)) {
        if (payer !== null && waitMs === 0) this.#newRooms.giveBack(payer)
        return true
      }
      if (waitMs > 0) return this.#refuses("rooms", target.projectId)
      this.#waking.set(room, { payer, joins: 1, started: false })
      return true
    })
  }

  /** The room is on its way up, and one more join waits for it. */
  #wakesWith(room: string): boolean {
    const waking = this.#waking.get(room)
    if (waking !== undefined) waking.joins++
    return waking !== undefined
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

  /** A room is on a server of another runner. */
  isElsewhere(target: DoorTarget, nth: number): void {
    this.#elsewhere.set(roomOf(target), nth)
  }

  /** A room that nobody knows counts to the first server. */
  #nthOf(target: DoorTarget): number {
    return this.#servers.nthOf(target) ?? this.#elsewhere.get(roomOf(target)) ?? 0
  }

  /** @param projectId the project on whose way it was; `null` = that is not known */
  #refuses(what: keyof DoorRefusals, projectId: string | null): false {
    this.#refused[what]++
    if (projectId !== null) this.#told(projectId, what)
    return false
  }

  #serverOf(target: DoorTarget): string {
    return `${target.projectId}/${this.#nthOf(target)}`
  }
}

const roomOf = ({ projectId, roomId }: DoorTarget): string => `${projectId}/${roomId}`
