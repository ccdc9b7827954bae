import type { PlayerOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

/** The place that quick match gave a player of this room. The credential of the ticket carries it, signed. */
export interface MatchPlace {
  /** The queue in which the player waited. */
  readonly queue: string
  /**
   * The player's team, from 0, in the order in which the queue declares its teams. `null` = the match filled this
   * room up: room code finds the player a team.
   */
  readonly team: number | null
  /** Players of one party have the same text here, and no others do; `null` = the player queued alone. */
  readonly party: string | null
}

/** A client of a room. It stays the same object while its session lives, connected or not. */
export interface RoomClient<S extends AnyRoomSchema = AnyRoomSchema> {
  /** The session's id: new with each fresh join, the same after a reconnect. */
  readonly id: string
  /** The player; the same one may be here with several clients. */
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  /**
   * The place that quick match gave the player, for as long as the session lives; `null` = the client joined
   * without a ticket of a match. Source: D-25, C-630.
   */
  readonly match: MatchPlace | null
  /** `false` between onDrop and onReconnect or onLeave. */
  readonly connected: boolean
  /** The player's persisted fields: assigning checks the value and stores it beyond this room. */
  readonly player: PlayerOf<S>
  /**
   * Ends the connection and the session; onLeave follows with `consented: false`.
   *
   * @param code 1000 or 3000 to 4999; 4420 when left out (the client does not come back)
   * @param reason at most 123 bytes
   */
  leave(code?: number, reason?: string): void
}
