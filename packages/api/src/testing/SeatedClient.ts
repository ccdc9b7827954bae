import type { RoomGate } from "@atrium/actors/rooms/RoomGate"

import type { ClientConnection } from "../router/ClientConnection.ts"

interface Seat {
  readonly stateBytes?: number
  readonly viewer?: boolean
}

/** Lets a client into a room at once, with a welcome of this many bytes of state. */
export const seatClient = (
  connection: ClientConnection,
  gate: RoomGate,
  { stateBytes = 0, viewer = false }: Seat = {}
): void => {
  connection.describe({
    roomId: "r",
    version: 1,
    playerId: "p",
    viewer,
    relay: false,
    schema: null
  })
  const ref = gate.enter(connection, {
    sessionId: "s",
    playerId: "p",
    name: null,
    role: "player",
    options: null,
    resumeHash: null,
    player: null
  })
  if (ref === null || !connection.seat(gate, ref)) throw new Error("not seated")
  const state = new Uint8Array(stateBytes)
  gate.joined(ref, { sessionId: `s${ref}`, resumed: false, tick: 1, state })
}
