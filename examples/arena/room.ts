import { defineRoom, type Room, type RoomClient } from "@atrium/sdk/room"

import { arena, Plane } from "./schema.ts"

type ArenaRoom = Room<typeof arena>
type ArenaClient = RoomClient<typeof arena>
type Player = NonNullable<ReturnType<ArenaRoom["state"]["players"]["get"]>>

const Coins = 12
const UnitsPerSecond = 12
const Reach = 1.5
const TicksPerSecond = 20
const RoundTicks = 60 * TicksPerSecond

export const arenaRoom = defineRoom(arena, {
  onCreate(room) {
    for (let count = 0; count < Coins; count += 1) dropCoin(room)
  },

  onJoin(room, client) {
    const { id, playerId } = client
    room.state.players.add({ client: id, playerId, name: nameOf(client), ...somewhere(room) })
  },

  onDrop(room, client) {
    const player = playerOf(room, client)
    if (player !== undefined) Object.assign(player, { dx: 0, dy: 0, away: true })
  },

  onReconnect(room, client) {
    const player = playerOf(room, client)
    if (player !== undefined) player.away = false
  },

  onLeave(room, client) {
    const player = playerOf(room, client)
    if (player === undefined) return
    room.state.players.remove(player.id)
    crownLeader(room)
    void submitScores(room, new Map([[client.playerId, player.found]]))
  },

  onMessage: {
    input(room, client, { dx, dy }) {
      const player = playerOf(room, client)
      if (player === undefined) return
      // Without this, moving diagonally would be faster.
      const length = Math.max(1, Math.hypot(dx, dy))
      player.dx = dx / length
      player.dy = dy / length
    },

    chat(room, client, { text }) {
      const player = playerOf(room, client)
      // The room says who spoke: what a client claims in `from` counts for nothing.
      if (player !== undefined) room.broadcast("chat", { from: player.id, text })
    }
  },

  onTick(room, { dtMs, tick }) {
    const step = (UnitsPerSecond * dtMs) / 1000
    for (const player of room.state.players) {
      player.x = clamp(player.x + player.dx * step, Plane.width)
      player.y = clamp(player.y + player.dy * step, Plane.height)
    }
    for (const coin of Array.from(room.state.coins)) {
      const finder = [...room.state.players].find((player) => isNear(player, coin))
      if (finder === undefined) continue
      room.state.coins.remove(coin.id)
      dropCoin(room)
      reward(room, finder)
    }
    const ticksLeft = RoundTicks - (tick % RoundTicks)
    room.state.round.secondsLeft = Math.ceil(ticksLeft / TicksPerSecond)
    if (ticksLeft === RoundTicks) void endRound(room, `round ${tick / RoundTicks}`)
  }
})

const reward = (room: ArenaRoom, player: Player): void => {
  player.coins += 1
  player.found += 1
  room.state.score.collected += 1
  const client = room.clients.get(player.client)
  if (client !== undefined) client.player.coins += 1
  crownLeader(room)
}

const endRound = async (room: ArenaRoom, id: string): Promise<void> => {
  const found = new Map<string, number>()
  for (const player of room.state.players) {
    // Somebody may play in two windows: the better one counts.
    const { playerId } = player
    found.set(playerId, Math.max(player.found, found.get(playerId) ?? 0))
    player.found = 0
  }
  await Promise.all([submitScores(room, found), reportRound(room, { id, found })])
}

/** The board keeps the best round of each player. */
const submitScores = async (room: ArenaRoom, found: ReadonlyMap<string, number>): Promise<void> => {
  const scores = [...found].filter(([, coins]) => coins > 0)
  if (scores.length === 0) return
  try {
    await Promise.all(
      scores.map(([player, coins]) => room.leaderboard.submit("rounds", player, coins))
    )
    room.state.round.scored += scores.length
  } catch (error) {
    room.log.warn("the board did not take every score:", error)
  }
}

interface Round {
  readonly id: string
  /** Coins by player. */
  readonly found: ReadonlyMap<string, number>
}

/** Who found more coins in the round than another has beaten the other. */
const reportRound = async (room: ArenaRoom, { id, found }: Round): Promise<void> => {
  const counts = [...found.values()]
  if (found.size < 2 || Math.max(...counts) === 0) return
  const results = Array.from(found, ([player, coins]) => ({
    player,
    place: 1 + counts.filter((count) => count > coins).length
  }))
  try {
    const { ratings } = await room.ratings.report(results, { id })
    for (const { player, rating } of ratings) showRating(room, player, rating)
  } catch (error) {
    // The next round is rated again; the game goes on without this one.
    room.log.warn(`${id} was not rated`, error)
  }
}

const showRating = (room: ArenaRoom, playerId: string, rating: number): void => {
  for (const player of room.state.players) {
    if (player.playerId !== playerId) continue
    player.rating = clamp(Math.round(rating), 65_535)
  }
}

const crownLeader = (room: ArenaRoom): void => {
  const { players, score } = room.state
  let leader = players.get(score.leader)
  for (const player of players) {
    if (player.coins > (leader?.coins ?? 0)) leader = player
  }
  score.leader = leader?.id ?? 0
}

const dropCoin = (room: ArenaRoom): void => {
  room.state.coins.add(somewhere(room))
}

const somewhere = (room: ArenaRoom) => ({
  x: room.random() * Plane.width,
  y: room.random() * Plane.height
})

// Nothing outside of `room.state` survives a hibernation, so players are found by what is in it.
const playerOf = (room: ArenaRoom, client: ArenaClient): Player | undefined =>
  [...room.state.players].find((player) => player.client === client.id)

// 16 characters are at most the 64 bytes that the schema allows.
const nameOf = (client: ArenaClient): string =>
  [...(client.name ?? "guest")].slice(0, 16).join("").toWellFormed()

const clamp = (value: number, max: number): number => Math.min(max, Math.max(0, value))

const isNear = (a: { x: number; y: number }, b: { x: number; y: number }): boolean =>
  Math.hypot(a.x - b.x, a.y - b.y) < Reach
