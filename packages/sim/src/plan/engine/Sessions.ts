import type { Room } from "./RoomPool.ts"

/** Where a session stands. */
export type Stage = "waiting" | "joined" | "dropped" | "over" | "gone"

export interface Session {
  stage: Stage
  /** The room that it is in, or was dropped from; -1 = none yet. */
  room: number
  /** Who is beside it in its room; -1 = nobody. */
  next: number
  previous: number
  readonly lengthMs: number
  readonly address: number
  readonly persistentRoom: number
  readonly talks: boolean
  talking: boolean
  /** Since when it tries to get in, or back in, and how often it did. */
  sinceMs: number
  attempts: number
  /** When it got a ticket of the queue. */
  queuedMs: number
  /** Events that name it and are still to come. */
  pending: number
}

/** Sessions that are not over, and those of each room as a list. */
export class Sessions {
  readonly #sessions: Array<Session> = []
  readonly #free: Array<number> = []

  at(session: number): Session {
    // Sessions are named by who made them.
    return this.#sessions[session] as Session
  }

  add(session: Session): number {
    const at = this.#free.pop() ?? this.#sessions.length
    this.#sessions[at] = session
    return at
  }

  /** A session that is over, and that no event names, leaves its place to another. */
  release(at: number): void {
    const session = this.at(at)
    if (session.stage !== "over" || session.pending > 0) return
    session.stage = "gone"
    this.#free.push(at)
  }

  enter(at: number, room: Room): void {
    const session = this.at(at)
    session.previous = -1
    session.next = room.firstSession
    if (room.firstSession >= 0) this.at(room.firstSession).previous = at
    room.firstSession = at
  }

  leave(at: number, room: Room): void {
    const { next, previous } = this.at(at)
    if (previous >= 0) this.at(previous).next = next
    else room.firstSession = next
    if (next >= 0) this.at(next).previous = previous
  }

  /** The sessions of a room, and none is in it any more. */
  takeAll(room: Room): ReadonlyArray<number> {
    const all: Array<number> = []
    for (let at = room.firstSession; at >= 0; at = this.at(at).next) all.push(at)
    room.firstSession = -1
    return all
  }
}
