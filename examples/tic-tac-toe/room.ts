import { defineRoom, RpcError, type Room, type RoomClient } from "@atrium/sdk/room"

import { ticTacToe } from "./schema.ts"

type GameRoom = Room<typeof ticTacToe>
type GameClient = RoomClient<typeof ticTacToe>
type Seat = NonNullable<ReturnType<GameRoom["state"]["seats"]["get"]>>
type Mark = Seat["mark"]

const MoveWithinMs = 10 * 60_000

export const ticTacToeRoom = defineRoom(ticTacToe, {
  rpc: {
    sit(room, client) {
      const { seats, game } = room.state
      const own = seatOf(room, client)
      if (own !== undefined) return { mark: own.mark }
      if (seats.size === 2) throw new RpcError("E_SEATS_TAKEN", "two are playing: watch them")
      const [opponent] = seats
      const mark = opponent === undefined ? "x" : other(opponent.mark)
      seats.add({ playerId: client.playerId, mark })
      if (seats.size === 2) startGame(room)
      else game.phase = "waiting"
      return { mark }
    },

    move(room, client, { cell }) {
      const { game } = room.state
      const seat = demandSeat(room, client)
      if (game.phase === "waiting") throw new RpcError("E_NO_OPPONENT", "nobody has sat down yet")
      if (game.phase === "over") throw new RpcError("E_GAME_OVER", "ask for a rematch")
      if (seat.mark !== game.turn) throw new RpcError("E_NOT_YOUR_TURN", `${game.turn} is to move`)
      const taken = game.cells[cell]
      if (taken === undefined) throw new RpcError("E_NO_SUCH_CELL", "cells are numbered 0 to 8")
      if (taken !== "none") throw new RpcError("E_CELL_TAKEN", `cell ${cell} belongs to ${taken}`)

      const cells = game.cells.with(cell, seat.mark)
      game.cells = cells
      if (hasLine(cells, seat.mark)) endGame(room, seat.mark)
      else if (!cells.includes("none")) endGame(room, "draw")
      else takeTurn(room, other(seat.mark))
      return {}
    },

    rematch(room, client) {
      const { game, seats } = room.state
      const seat = demandSeat(room, client)
      if (game.phase !== "over") throw new RpcError("E_STILL_PLAYING", "the game is not over")
      seat.wantsRematch = true
      const started = seats.size === 2 && [...seats].every(({ wantsRematch }) => wantsRematch)
      if (started) {
        for (const each of seats) each.mark = other(each.mark)
        startGame(room)
      }
      return { started }
    }
  },

  // Set anew with each turn. It goes off even if everyone has left and the room is asleep.
  onAlarm(room) {
    const { game, seats } = room.state
    game.abandoned = true
    endGame(room, other(game.turn))
    for (const seat of Array.from(seats)) {
      if (seat.mark === game.turn || !isHere(room, seat.playerId)) seats.remove(seat.id)
    }
  },

  // A seat outlives its player's connection as long as there is something to come back for.
  onLeave(room, client) {
    const seat = seatOf(room, client)
    if (seat === undefined || room.state.game.phase === "playing") return
    // The same player may be here in a second window.
    if (!isHere(room, client.playerId)) room.state.seats.remove(seat.id)
  }
})

const startGame = (room: GameRoom): void => {
  const { game, seats } = room.state
  for (const seat of seats) seat.wantsRematch = false
  Object.assign(game, { phase: "playing", result: "none", abandoned: false })
  game.cells = game.cells.map(() => "none" as const)
  takeTurn(room, "x")
}

const takeTurn = (room: GameRoom, mark: Mark): void => {
  room.state.game.turn = mark
  room.after("abandoned", MoveWithinMs)
}

const endGame = (room: GameRoom, result: Mark | "draw"): void => {
  room.alarm.clear("abandoned")
  Object.assign(room.state.game, { phase: "over", result })
}

const seatOf = (room: GameRoom, client: GameClient): Seat | undefined =>
  [...room.state.seats].find(({ playerId }) => playerId === client.playerId)

const isHere = (room: GameRoom, playerId: string): boolean =>
  [...room.clients].some((client) => client.playerId === playerId)

const demandSeat = (room: GameRoom, client: GameClient): Seat => {
  const seat = seatOf(room, client)
  if (seat === undefined) throw new RpcError("E_NOT_SEATED", "sit down first")
  return seat
}

const other = (mark: Mark): Mark => (mark === "x" ? "o" : "x")

const Lines = ["012", "345", "678", "036", "147", "258", "048", "246"]

const hasLine = (cells: ReadonlyArray<string>, mark: Mark): boolean =>
  Lines.some((line) => [...line].every((cell) => cells[Number(cell)] === mark))
