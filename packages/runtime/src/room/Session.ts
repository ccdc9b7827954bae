import type { PlayerRecord } from "./Players.ts"
import type { MatchPlace, RoomClient } from "./RoomClient.ts"

/** The owner of a session, and what opens it again. */
export interface SessionIdentity {
  readonly id: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  readonly match: MatchPlace | null
}

/** One client's place in the room. It outlives connections. */
export interface Session {
  readonly identity: SessionIdentity
  readonly client: RoomClient
  readonly player: PlayerRecord
  resumeHash: string
  /** Also opens the session: the welcome with the newer token may have been lost. */
  previousResumeHash: string | null
  /** The connection, `null` while dropped. */
  ref: number | null
  droppedAtMs: number | null
  /** Frames for a client that has no welcome yet; `null` afterwards. */
  early: Uint8Array[] | null
  /** RPCs of this client that have no answer yet. */
  callsWaiting: number
}

/** The sessions of a room, in the order in which they began. */
export class Sessions implements Iterable<Session> {
  readonly #byId = new Map<string, Session>()
  readonly #byRef = new Map<number, Session>()
  readonly #reconnectForMs: number

  constructor(reconnectForMs: number) {
    this.#reconnectForMs = reconnectForMs
  }

  get size(): number {
    return this.#byId.size
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#byId.values()
  }

  /** Clients that got their welcome and are connected. */
  welcomed(): ReadonlyArray<Session> {
    return [...this.#byRef.values()].filter(({ early }) => early === null)
  }

  get hasWelcomed(): boolean {
    for (const { early } of this.#byRef.values()) if (early === null) return true
    return false
  }

  byId(id: string): Session | undefined {
    return this.#byId.get(id)
  }

  byRef(ref: number): Session | undefined {
    return this.#byRef.get(ref)
  }

  add(session: Session): void {
    this.#byId.set(session.identity.id, session)
    if (session.ref !== null) this.#byRef.set(session.ref, session)
  }

  remove(session: Session): void {
    this.#byId.delete(session.identity.id)
    if (session.ref !== null) this.#byRef.delete(session.ref)
    session.ref = null
  }

  attach(session: Session, ref: number): void {
    session.ref = ref
    session.droppedAtMs = null
    session.early = []
    this.#byRef.set(ref, session)
  }

  detach(session: Session, nowMs: number): void {
    if (session.ref !== null) this.#byRef.delete(session.ref)
    session.ref = null
    session.droppedAtMs = nowMs
    session.early = null
  }

  /** The player's session that a token opens. */
  resumable(playerId: string, resumeHash: string): Session | undefined {
    for (const session of this) {
      if (session.identity.playerId !== playerId) continue
      if (session.resumeHash === resumeHash) return session
      if (session.previousResumeHash === resumeHash) return session
    }
    return undefined
  }

  /** When the next dropped session ends, Unix milliseconds. */
  earliestLapseMs(): number | null {
    let earliest: number | null = null
    for (const { droppedAtMs } of this) {
      if (droppedAtMs === null) continue
      const atMs = droppedAtMs + this.#reconnectForMs
      if (earliest === null || atMs < earliest) earliest = atMs
    }
    return earliest
  }

  lapsed(nowMs: number): ReadonlyArray<Session> {
    return [...this].filter(
      ({ droppedAtMs }) => droppedAtMs !== null && droppedAtMs + this.#reconnectForMs <= nowMs
    )
  }
}
