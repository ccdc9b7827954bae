import type { RoomClient } from "./RoomClient.ts"

/** The player that room code names by its id or by one of its clients. The service checks the id. */
export const playerIdOf = (player: string | Pick<RoomClient, "playerId">): string =>
  typeof player === "string" ? player : player.playerId
