import { defineRoom } from "@atrium/sdk/room"

import { squad } from "./squadSchema.ts"

/** Shows the place that quick match gave each player; -2 = no match did, -1 = the match named no team. */
export const squadRoom = defineRoom(squad, {
  onJoin(room, { playerId: name, match }) {
    const team = match === null ? -2 : (match.team ?? -1)
    room.state.players.add({ name, team, party: match?.party ?? "" })
  },
  rpc: { ask: (room, _, { seats }) => room.lobby.setBackfill({ seats }) }
})
