import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { makeBucket, type TokenBucket } from "@atrium/domain/shared/TokenBucket"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

/** Who wants a seat. `attachedAs` and `resumeHash` name a session that may still be there. */
export interface RelayEntrance {
  readonly ref: number
  readonly sessionId: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  readonly resumeHash: string | null
  readonly nextResumeHash: string
  readonly attachedAs: string | null
}

/** A session as a snapshot keeps it. */
export interface KeptSession {
  readonly id: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  readonly resumeHash: string
  readonly previousResumeHash: string | null
}

/** One client's seat, and what it may still send. It outlives connections. */
export interface RelaySession {
  readonly id: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  /** Reads, chats and sends, and does not write. */
  readonly viewer: boolean
  /** The connection; `null` while dropped. */
  ref: number | null
  droppedAtMs: number | null
  resumeHash: string
  /** Also opens the session: the welcome with the newer token may have been lost. */
  previousResumeHash: string | null
  readonly ops: TokenBucket
  readonly bytes: TokenBucket
  readonly sends: TokenBucket
  bytesTold: boolean
  sendsTold: boolean
}

/** How many of each kind a room takes. */
export interface RelaySeatCaps {
  readonly players: number
  readonly viewers: number
}

export type Seating =
  | { readonly is: "full"; readonly of: "players" | "viewers" }
  | { readonly is: "seated"; readonly session: RelaySession }
  /** `replaced` = the connection that the session had until now. */
  | { readonly is: "resumed"; readonly session: RelaySession; readonly replaced: number | null }

/** The seats of a relay room: players and viewers are counted apart. Spec: Connection and room limits. */
export const relaySeatCaps = (plan: "free" | "card", maxClients: number): RelaySeatCaps => {
  const free = plan === "free"
  return {
    players: Math.min(
      maxClients,
      (free ? RelayLimits.relayPlayersFree : RuntimeLimits.relayPlayers).max
    ),
    viewers: (free ? AudienceLimits.audienceSeatsFree : AudienceLimits.audienceSeats).max
  }
}

/** The sessions of a relay room, in the order in which they began. */
export class RelaySeats implements Iterable<RelaySession> {
  readonly #caps: RelaySeatCaps
  readonly #reconnectForMs: number
  readonly #byId = new Map<string, RelaySession>()
  readonly #byRef = new Map<number, RelaySession>()
  readonly #taken = { players: 0, viewers: 0 }

  constructor(caps: RelaySeatCaps, reconnectForMs: number) {
    this.#caps = caps
    this.#reconnectForMs = reconnectForMs
  }

  [Symbol.iterator](): Iterator<RelaySession> {
    return this.#byId.values()
  }

  /** Sessions that have a connection. */
  get connected(): number {
    return this.#byRef.size
  }

  byId(id: string): RelaySession | undefined {
    return this.#byId.get(id)
  }

  byRef(ref: number): RelaySession | undefined {
    return this.#byRef.get(ref)
  }

  enter(entrance: RelayEntrance, nowMs: number): Seating {
    const known = this.#sessionOf(entrance)
    if (known !== undefined) return this.#resume(known, entrance)
    const of = entrance.role === "player" ? "players" : "viewers"
    if (this.#taken[of] >= this.#caps[of]) return { is: "full", of }
    const { sessionId: id, playerId, name, role, nextResumeHash: resumeHash } = entrance
    const kept = { id, playerId, name, role, resumeHash, previousResumeHash: null }
    const session = this.#add(kept, nowMs)
    this.#attach(session, entrance.ref)
    return { is: "seated", session }
  }

  /** Brings back a session of a snapshot, dropped as of now, whether or not the room is full. */
  restore(kept: KeptSession, nowMs: number): void {
    this.#add(kept, nowMs).droppedAtMs = nowMs
  }

  /** The connection was lost; the seat is kept. */
  drop(session: RelaySession, nowMs: number): void {
    if (session.ref !== null) this.#byRef.delete(session.ref)
    session.ref = null
    session.droppedAtMs = nowMs
  }

  end(session: RelaySession): void {
    if (session.ref !== null) this.#byRef.delete(session.ref)
    session.ref = null
    if (this.#byId.delete(session.id)) this.#taken[kindOf(session)]--
  }

  /** Sessions whose time to come back is over. */
  lapsed(nowMs: number): ReadonlyArray<RelaySession> {
    return [...this].filter(
      ({ droppedAtMs }) => droppedAtMs !== null && droppedAtMs + this.#reconnectForMs <= nowMs
    )
  }

  /** When the next dropped session ends; `null` = none is dropped. */
  earliestLapseMs(): number | null {
    let earliest: number | null = null
    for (const { droppedAtMs } of this) {
      if (droppedAtMs === null) continue
      const atMs = droppedAtMs + this.#reconnectForMs
      if (earliest === null || atMs < earliest) earliest = atMs
    }
    return earliest
  }

  #sessionOf({ attachedAs, resumeHash, playerId, role }: RelayEntrance): RelaySession | undefined {
    const attached = attachedAs === null ? undefined : this.#byId.get(attachedAs)
    if (attached?.playerId === playerId) return attached
    if (resumeHash === null) return undefined
    for (const session of this) {
      // Who may only watch now does not play on in the seat of before.
      if (session.playerId !== playerId || session.role !== role) continue
      if (session.resumeHash === resumeHash || session.previousResumeHash === resumeHash) {
        return session
      }
    }
    return undefined
  }

  #resume(session: RelaySession, entrance: RelayEntrance): Seating {
    const replaced = session.ref
    if (replaced !== null) this.#byRef.delete(replaced)
    session.previousResumeHash = entrance.resumeHash ?? session.resumeHash
    session.resumeHash = entrance.nextResumeHash
    this.#attach(session, entrance.ref)
    return { is: "resumed", session, replaced }
  }

  #attach(session: RelaySession, ref: number): void {
    session.ref = ref
    session.droppedAtMs = null
    this.#byRef.set(ref, session)
  }

  #add(kept: KeptSession, nowMs: number): RelaySession {
    const session: RelaySession = {
      ...{ ...kept, viewer: kept.role !== "player", ref: null, droppedAtMs: null },
      ops: makeBucket(RelayLimits.relayWriteOps, nowMs),
      bytes: makeBucket(RelayLimits.relayBytes, nowMs),
      sends: makeBucket(AudienceLimits.audienceMessages, nowMs),
      bytesTold: false,
      sendsTold: false
    }
    this.#byId.set(session.id, session)
    this.#taken[kindOf(session)]++
    return session
  }
}

const kindOf = ({ viewer }: RelaySession): "players" | "viewers" => (viewer ? "viewers" : "players")
