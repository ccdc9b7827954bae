import type { ClientSink, Entrance } from "./ClientGate.ts"

/** The place of one connection in a room. */
export interface Seat {
  readonly ref: number
  readonly sink: ClientSink
  readonly entrance: Entrance
  readonly viewer: boolean
  /** The session that the room gave it; `null` until its first welcome. */
  sessionId: string | null
  /** The process that runs now has welcomed it: frames of that process make sense to it. */
  welcomed: boolean
  player: Uint8Array | null
  /** Play that ended with its process, until a welcome tells the client of it. */
  staleMs: number | null
  /** When the player came into the room; it is known from the first welcome on. */
  sinceMs: number | undefined
  /** When its connection took the seat. */
  readonly atMs: number
  ingressBytes: number
  egressBytes: number
}

/** A connection of the room, for somebody who looks. */
export interface SeatedClient {
  readonly clientId: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  readonly joined: boolean
  readonly atMs: number
  readonly ingressBytes: number
  readonly egressBytes: number
}

/** The id of its session; until it has one, the id that it gets if it is let in. */
export const clientIdOf = ({ sessionId, entrance }: Seat): string => sessionId ?? entrance.sessionId

/** What somebody who looks sees of a seat. */
export const seatedClient = (seat: Seat): SeatedClient => ({
  clientId: clientIdOf(seat),
  playerId: seat.entrance.playerId,
  name: seat.entrance.name,
  role: seat.entrance.role,
  joined: seat.sessionId !== null,
  atMs: seat.atMs,
  ingressBytes: seat.ingressBytes,
  egressBytes: seat.egressBytes
})
