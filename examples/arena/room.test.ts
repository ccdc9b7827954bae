import type { ClientRoom } from "@atrium/sdk/client"
import { RoomHarness } from "@atrium/sdk/testing"
import { beforeEach, expect, test } from "vitest"

import { arenaRoom } from "./room.ts"
import { arena, Plane } from "./schema.ts"

type Player = ClientRoom<typeof arena>

let harness: RoomHarness<typeof arena>

beforeEach(() => {
  harness = new RoomHarness(arenaRoom, { boards: { rounds: { direction: "higher" } } })
})

const join = (name: string, reconnectForMs = 60_000): Promise<Player> =>
  harness
    .client({ playerId: `pl_${name}`, name }, { reconnectForMs })
    .joinOrCreate(arena, { roomId: "arena" })

const named = (room: Player, name: string) =>
  [...room.state.players].find((player) => player.name === name)

const TickMs = 50

/** Heads for the nearest coin until one is found. */
const collect = async (room: Player, name: string): Promise<void> => {
  const before = named(room, name)?.coins
  for (let tick = 0; tick < 400; tick += 1) {
    const player = named(room, name)
    if (player === undefined || player.coins !== before) return
    const coins = [...room.state.coins]
    const [coin] = coins.sort((a, b) => distance(a, player) - distance(b, player))
    if (coin === undefined) return
    const length = Math.max(1, distance(coin, player))
    room.send("input", { dx: (coin.x - player.x) / length, dy: (coin.y - player.y) / length })
    await harness.advance(TickMs)
  }
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }): number =>
  Math.hypot(a.x - b.x, a.y - b.y)

test("[example.arena] a direction moves the player 12 units a second, and never off the plane", async () => {
  const ann = await join("ann")
  const start = named(ann, "ann")?.x ?? 0
  const right = start < Plane.width / 2
  ann.send("input", { dx: right ? 1 : -1, dy: 0 })
  await harness.advance(1000)
  expect(named(ann, "ann")?.x).toBeCloseTo(start + (right ? 12 : -12), 3)
  await harness.advance(10_000)
  expect(named(ann, "ann")?.x).toBe(right ? Plane.width : 0)
  expect(harness.logs).toEqual([])
})

test("[example.arena] diagonally it is not faster", async () => {
  const ann = await join("ann")
  const { x, y } = named(ann, "ann") ?? { x: 0, y: 0 }
  ann.send("input", { dx: x < Plane.width / 2 ? 1 : -1, dy: y < Plane.height / 2 ? 1 : -1 })
  await harness.advance(1000)
  const now = named(ann, "ann") ?? { x: 0, y: 0 }
  expect(distance(now, { x, y })).toBeCloseTo(12, 0)
})

test("[example.arena] a coin counts for the player, the score, and beyond the room", async () => {
  const ann = await join("ann")
  await join("bob")
  await collect(ann, "ann")
  await collect(ann, "ann")
  const player = named(ann, "ann")
  expect(player?.coins).toBe(2)
  expect(ann.state.score).toMatchObject({ collected: 2, leader: player?.id })
  expect(ann.state.coins.size).toBe(12)
  await ann.leave()
  const again = await join("ann")
  expect(named(again, "ann")?.coins).toBe(0)
  expect(again.state.score).toMatchObject({ collected: 2, leader: 0 })
  expect(harness.stored("pl_ann")).toEqual({ coins: 2 })
})

test("[example.arena] the board keeps the best round of a player, also of one who leaves in the middle", async () => {
  const ann = await join("ann")
  const bob = await join("bob")
  await collect(ann, "ann")
  await collect(ann, "ann")
  expect(bob.state.round.secondsLeft).toBeLessThan(60)
  expect([harness.board("rounds"), bob.state.round.scored]).toEqual([[], 0])
  await ann.leave()
  await harness.advance(TickMs)
  const board = [{ rank: 1, playerId: "pl_ann", score: 2 }]
  expect([harness.board("rounds"), bob.state.round.scored]).toEqual([board, 1])
  const again = await join("ann")
  await collect(again, "ann")
  await again.leave()
  await harness.advance(TickMs)
  expect([harness.board("rounds"), bob.state.round.scored]).toEqual([board, 2])
  expect(harness.logs).toEqual([])
})

test("[example.arena] without its board the game goes on, and the log says so", async () => {
  harness = new RoomHarness(arenaRoom)
  const ann = await join("ann")
  await collect(ann, "ann")
  await ann.leave()
  await harness.advance(TickMs)
  expect(harness.logs).toEqual([expect.stringMatching(/^warn: .+ no board rounds$/)])
  expect(named(await join("ann"), "ann")).toMatchObject({ coins: 0, found: 0 })
})

test("[example.arena] a round of a minute is rated, who found more coins rises, and is on the board", async () => {
  const ann = await join("ann")
  const bob = await join("bob")
  await collect(ann, "ann")
  ann.send("input", { dx: 0, dy: 0 })
  expect(named(bob, "ann")).toMatchObject({ found: 1, rating: 0 })
  await harness.advance(60_000)
  expect(named(bob, "ann")).toMatchObject({ coins: 1, found: 0, rating: 1662 })
  expect(named(bob, "bob")).toMatchObject({ rating: 1338 })
  const board = [{ rank: 1, playerId: "pl_ann", score: 1 }]
  expect([harness.board("rounds"), bob.state.round.scored]).toEqual([board, 1])
  // A round in which nobody finds a coin changes no rating.
  await harness.advance(60_000)
  expect(named(bob, "ann")?.rating).toBe(1662)
  expect(harness.logs).toEqual([])
})

test("[example.arena] chat says who spoke, whatever the sender claims", async () => {
  const ann = await join("ann")
  const bob = await join("bob")
  const heard = new Promise((resolve) => bob.onMessage("chat", resolve))
  ann.send("chat", { from: 2, text: "hello" })
  expect(await heard).toEqual({ from: 1, text: "hello" })
})

test("[example.arena] a player who drops stands still, is marked, and comes back as the same player", async () => {
  const ann = await join("ann")
  const bob = await join("bob")
  ann.send("input", { dx: 0.5, dy: 0.5 })
  await harness.advance(80)
  const { id } = named(bob, "ann") ?? {}
  harness.drop("pl_ann")
  await harness.advance(20)
  expect(named(bob, "ann")).toMatchObject({ id, dx: 0, dy: 0, away: true })
  await harness.advance(TickMs)
  expect(named(bob, "ann")).toMatchObject({ id, away: false })
})

test("[example.arena] removes a player who stays away for 20 seconds", async () => {
  const bob = await join("bob")
  const ann = await join("ann", 0)
  harness.drop("pl_ann")
  await harness.advance(19_900)
  expect(named(bob, "ann")).toMatchObject({ away: true })
  await harness.advance(200)
  expect(named(bob, "ann")).toBeUndefined()
  expect(ann.connected).toBe(false)
})

test("[example.arena] 64 players fit, the 65th does not", async () => {
  const players: Array<Player> = []
  for (let count = 1; count <= 64; count += 1) players.push(await join(`player ${count}`))
  await expect(join("late")).rejects.toMatchObject({ code: "E_ROOM_FULL" })
  await harness.advance(TickMs)
  expect(new Set(players.map((player) => player.state.players.size))).toEqual(new Set([64]))
  expect(new Set(players.map((player) => player.stateHash())).size).toBe(1)
})

test("[example.arena] a name of any kind fits", async () => {
  const room = await join("🦊".repeat(40))
  expect([...room.state.players][0]?.name).toBe("🦊".repeat(16))
  expect(harness.logs).toEqual([])
})
