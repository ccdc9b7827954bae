import type { Hear, Seat, Server } from "@atrium/api/testing/load/RoomSeat"

import type { Dialect } from "../FanOutLoad.ts"

/** The kind of a room: W1 relays, W2 moves, W3 has a state at rest, W4 rests. */
export type PeerRoom = "relay" | "state" | "hall" | "lounge"

export interface PeerJoin {
  readonly kind: PeerRoom
  readonly room: string
  readonly from: string
  readonly hear?: Hear
  /** The token that takes a session up again. */
  readonly resume?: string
}

/** A server of another library that does the same work as the service. */
export interface Peer extends Server {
  /** With its version. */
  readonly name: string
  readonly dialect: Dialect
  /** Whether a frame of W2 carries what changed. */
  isPatch(bytes: Buffer, start: number): boolean
  /** Resolves when the client is in the room, and has its state where the kind has one at rest. */
  join(joining: PeerJoin): Promise<Seat>
}
