import { defineSchema, s } from "@atrium/sdk/schema"

const Empty = ["none", "none", "none", "none", "none", "none", "none", "none", "none"] as const

export const ticTacToe = defineSchema({
  type: "tic-tac-toe",
  // Two play, the others watch.
  maxClients: 32,
  retention: "30d",
  // Quick match makes a table for two who wait in this queue. A project that declares no queues has it.
  queue: "default",
  singletons: {
    game: {
      phase: s.enum("waiting", "playing", "over"),
      turn: s.enum("x", "o"),
      cells: s.list(s.enum("none", "x", "o"), 9, { default: Empty }),
      result: s.enum("none", "x", "o", "draw"),
      abandoned: s.bool()
    }
  },
  entities: {
    // By player, not by connection: a player who comes back tomorrow still has the seat.
    seats: { playerId: s.string(256), mark: s.enum("x", "o"), wantsRematch: s.bool() }
  },
  rpc: {
    client: {
      sit: { returns: { mark: s.enum("x", "o") } },
      // A move that was answered is stored: no crash takes it back.
      move: { args: { cell: s.u8() }, durable: true },
      rematch: { returns: { started: s.bool() } }
    }
  }
})
