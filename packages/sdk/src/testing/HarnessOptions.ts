import type { MatchPlace } from "@atrium/runtime/room/RoomClient"

import type { HarnessBoard } from "./HarnessBoards.ts"

/** The identity of a client of the harness. */
export interface HarnessPlayer {
  readonly playerId: string
  readonly name?: string
  /** The place that quick match gave the player; left out: the player has no ticket of a match. */
  readonly match?: MatchPlace
}

/** What the open list of rooms shows of the room. */
export interface HarnessLobby {
  readonly isPublic: boolean
  readonly started: boolean
  /** What room code has set with `room.lobby.setMetadata`; `null` = nothing. */
  readonly metadata: unknown
}

/** What a harness knows beside the room. */
export interface HarnessOptions {
  /**
   * The file that exports the room, as `new URL("./room.ts", import.meta.url)`. Whenever the room wakes, it is loaded anew, so that a
   * variable of a module is lost as in the service. Left out: the room that the test has imported wakes with its variables.
   */
  readonly module?: URL
  /** What `service.json` declares of leaderboards. */
  readonly boards?: Readonly<Record<string, HarnessBoard>>
}
