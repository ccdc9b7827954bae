import { playerIdOf } from "./PlayerArgument.ts"
import type { RoomLeaderboard, SubmitResult } from "./Room.ts"
import type { ServiceCalls } from "./ServiceCalls.ts"

/** `room.leaderboard`: the service checks the score and stores it. */
export const leaderboardOf = (calls: ServiceCalls): RoomLeaderboard => ({
  // oxlint-disable-next-line max-params -- a board, a player and a score are no one thing.
  submit: async (board, player, score, { bucket = null, id = null } = {}) => {
    const payload = { board, player: playerIdOf(player), score, bucket, id }
    // The service answers in the form that the contract of the call has.
    return (await calls.call("boards.submit", payload)) as SubmitResult
  }
})
