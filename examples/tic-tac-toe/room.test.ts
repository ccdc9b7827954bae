import { RequestError, type ClientRoom } from "@atrium/sdk/client"
import { RoomHarness } from "@atrium/sdk/testing"
import { beforeEach, describe, expect, test } from "vitest"

import { ticTacToeRoom } from "./room.ts"
import { ticTacToe } from "./schema.ts"

type Player = ClientRoom<typeof ticTacToe>

const TenMinutesMs = 600_000
// `sleepFor` loads it anew, as the service does.
const module = new URL("./room.ts", import.meta.url)

let harness: RoomHarness<typeof ticTacToe>
let ann: Player
let bob: Player
let eve: Player

const join = (playerId: string): Promise<Player> =>
  harness.client({ playerId }).joinOrCreate(ticTacToe)

beforeEach(async () => {
  harness = new RoomHarness(ticTacToeRoom, { module })
  ann = await join("ann")
  bob = await join("bob")
  eve = await join("eve")
})

const begin = async (): Promise<void> => {
  await ann.request("sit", {})
  await bob.request("sit", {})
}

const play = async (cells: string): Promise<void> => {
  for (const [at, cell] of [...cells].entries()) {
    await (at % 2 === 0 ? ann : bob).request("move", { cell: Number(cell) })
  }
}

const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "no refusal",
    (error: unknown) => (error instanceof RequestError ? error.code : String(error))
  )

describe("a game", () => {
  test("[example.tic-tac-toe] the first two who sit play, x begins", async () => {
    expect(await ann.request("sit", {})).toEqual({ mark: "x" })
    expect(await refusal(ann.request("move", { cell: 0 }))).toBe("E_NO_OPPONENT")
    expect(await bob.request("sit", {})).toEqual({ mark: "o" })
    expect(await refusal(eve.request("sit", {}))).toBe("E_SEATS_TAKEN")
    expect(await bob.request("sit", {})).toEqual({ mark: "o" })
    await harness.advance(0)
    expect(eve.state.game.phase).toBe("playing")
  })

  test.each([
    ["x by a row", "03142", "x"],
    ["x by a column", "01326", "x"],
    ["x by a diagonal", "01428", "x"],
    ["o by the other diagonal", "021456", "o"],
    ["a draw", "041352678", "draw"],
    ["x with the last cell", "031457682", "x"]
  ])("[example.tic-tac-toe] %s", async (_, cells, result) => {
    await begin()
    await play(cells)
    expect(ann.state.game).toMatchObject({ phase: "over", result })
    expect(harness.logs).toEqual([])
  })

  test("[example.tic-tac-toe] spectators see every move", async () => {
    await begin()
    await play("40")
    await harness.advance(0)
    expect([eve.state.game.cells[4], eve.state.game.cells[0]]).toEqual(["x", "o"])
    expect(eve.stateHash()).toBe(ann.stateHash())
  })

  test("[example.tic-tac-toe] every broken rule has its own refusal, and changes nothing", async () => {
    await begin()
    await play("4")
    const before = ann.stateHash()
    expect(await refusal(eve.request("move", { cell: 0 }))).toBe("E_NOT_SEATED")
    expect(await refusal(ann.request("move", { cell: 0 }))).toBe("E_NOT_YOUR_TURN")
    expect(await refusal(bob.request("move", { cell: 4 }))).toBe("E_CELL_TAKEN")
    expect(await refusal(bob.request("move", { cell: 9 }))).toBe("E_NO_SUCH_CELL")
    expect(await refusal(bob.request("rematch", {}))).toBe("E_STILL_PLAYING")
    expect(ann.stateHash()).toBe(before)
    await bob.request("move", { cell: 8 })
  })
})

describe("afterwards", () => {
  test("[example.tic-tac-toe] both must want the rematch; marks change sides", async () => {
    await begin()
    await play("03142")
    expect(await refusal(bob.request("move", { cell: 8 }))).toBe("E_GAME_OVER")
    expect(await ann.request("rematch", {})).toEqual({ started: false })
    expect(await bob.request("rematch", {})).toEqual({ started: true })
    expect(await refusal(ann.request("move", { cell: 0 }))).toBe("E_NOT_YOUR_TURN")
    await bob.request("move", { cell: 0 })
    await harness.advance(0)
    expect(ann.state.game.cells[0]).toBe("x")
  })

  test("[example.tic-tac-toe] gives a spectator the seat of a player who leaves after the end", async () => {
    await begin()
    await play("03142")
    await bob.leave()
    await harness.advance(0)
    expect(eve.state.seats.size).toBe(1)
    expect(await eve.request("sit", {})).toEqual({ mark: "o" })
    await harness.advance(0)
    expect(ann.state.game.phase).toBe("playing")
    expect(ann.state.game.cells).toEqual(Array.from({ length: 9 }, () => "none"))
  })

  test("[example.tic-tac-toe] keeps the seat of a player who leaves in the middle", async () => {
    await begin()
    await play("4")
    await bob.leave()
    await harness.advance(0)
    expect(ann.state.seats.size).toBe(2)
    bob = await join("bob")
    await bob.request("move", { cell: 0 })
    expect(await bob.request("sit", {})).toEqual({ mark: "o" })
  })
})

describe("an abandoned game", () => {
  test("[example.tic-tac-toe] ends after ten minutes, not before; the other one wins", async () => {
    await begin()
    await play("4")
    await harness.advance(TenMinutesMs - 1)
    expect(ann.state.game.phase).toBe("playing")
    await harness.advance(1)
    expect(ann.state.game).toMatchObject({ phase: "over", result: "x", abandoned: true })
    expect([...ann.state.seats].map(({ playerId }) => playerId)).toEqual(["ann"])
  })

  test("[example.tic-tac-toe] ends while the room is asleep, and both seats are free", async () => {
    await begin()
    await play("4")
    await Promise.all([ann.leave(), bob.leave(), eve.leave()])
    await harness.sleepFor(TenMinutesMs)
    ann = await join("ann")
    expect(ann.state.game).toMatchObject({ phase: "over", result: "x", abandoned: true })
    expect(ann.state.seats.size).toBe(0)
  })

  test("[example.tic-tac-toe] each move gives ten minutes more", async () => {
    await begin()
    for (const [at, cell] of [0, 1, 3].entries()) {
      await harness.advance(TenMinutesMs - 1)
      await (at % 2 === 0 ? ann : bob).request("move", { cell })
    }
    expect(ann.state.game.phase).toBe("playing")
  })
})
