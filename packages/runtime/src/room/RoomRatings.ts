import { playerIdOf } from "./PlayerArgument.ts"
import type { RatingReport, RoomRatings } from "./Room.ts"
import type { ServiceCalls } from "./ServiceCalls.ts"

/** `room.ratings`: the service checks what room code says, computes and stores. */
export const ratingsOf = (calls: ServiceCalls): RoomRatings => ({
  report: async (results, { id, queue = null }) => {
    const placed = results.map(({ player, place }) => ({ player: playerIdOf(player), place }))
    const answer = await calls.call("ratings.report", { id, queue, results: placed })
    // The service answers in the form that the contract of the call has.
    return answer as RatingReport
  },
  get: async (players, { queue = null } = {}) => {
    const payload = { queue, players: players.map(playerIdOf) }
    const answer = await calls.call("ratings.get", payload)
    // As above: `readCall` in domain.
    return (answer as Pick<RatingReport, "ratings">).ratings
  }
})
