import { defineRoom, type RoomClient } from "@atrium/sdk/room"

import { botHeading, botShoots } from "./Bot.ts"
import { type Marble, type MarblesRoom, memoryOf, nearestTo } from "./Memory.ts"
import { marbles } from "./schema.ts"
import { Disc, MarbleRadius, shortened, Starts, steer, world } from "./World.ts"

type MarblesClient = RoomClient<typeof marbles>

const TicksPerSecond = 30
const RoundTicks = 75 * TicksPerSecond
const PauseTicks = 6 * TicksPerSecond
/** A client says what it does up to so much ahead: it simulates what will be when that arrives. */
const AheadTicks = TicksPerSecond
/** So old a picture counts, at most: about the slowest connection that one can play with. */
const SeenTicks = 15
const LoadTicks = 36
const ShotUnits = 2 * Disc.radius
const ShotSpeed = 11
const HitScore = 1
const FallScore = 3
/** Whoever has touched a marble last has pushed it off, within this time. */
const TouchTicks = 4 * TicksPerSecond
const FallenBelow = -9
const WaitingMax = 32

export const marblesRoom = defineRoom(marbles, {
  physics: world,

  onJoin(room, { id, playerId, name }) {
    dismissBot(room)
    addMarble(room, { client: id, playerId, name: shortName(name ?? "guest") })
    inviteBot(room)
    if (room.state.marbles.size === 2) beginRound(room)
  },

  onDrop(room, client) {
    const marble = marbleOf(room, client)
    if (marble !== undefined) Object.assign(marble, { headingX: 0, headingZ: 0, away: true })
  },

  onReconnect(room, client) {
    const marble = marbleOf(room, client)
    if (marble !== undefined) marble.away = false
  },

  onLeave(room, client) {
    const marble = marbleOf(room, client)
    if (marble !== undefined) room.state.marbles.remove(marble.id)
    inviteBot(room)
  },

  onMessage: {
    steer(room, client, input) {
      const marble = marbleOf(room, client)
      const { steers } = memoryOf(room)
      if (marble === undefined || input.tick > room.state.game.tick + AheadTicks) return
      if (steers.filter(({ id }) => id === marble.id).length >= WaitingMax) return
      steers.push({ id: marble.id, ...input })
    },

    shoot(room, client, { tick, x, z }) {
      const marble = marbleOf(room, client)
      const { shots } = memoryOf(room)
      if (marble === undefined || tick > room.state.game.tick + AheadTicks) return
      if (shots.some(({ id }) => id === marble.id)) return
      shots.push({ id: marble.id, tick, x, z })
    }
  },

  onTick(room, { tick }) {
    const { game, marbles: all } = room.state
    game.tick = tick
    takeSteers(room)
    driveBot(room)
    takeShots(room)
    noteTouches(room)
    for (const marble of all) {
      if (marble.y < FallenBelow) fall(room, marble)
      steer(world.bodyOf(room, "marbles", marble), { x: marble.headingX, z: marble.headingZ })
    }
    if (tick < game.endsTick) return
    if (game.pause || game.endsTick === 0) beginRound(room)
    else endRound(room)
  }
})

/** Applies the inputs whose tick has come. One that is late is applied now. */
const takeSteers = (room: MarblesRoom): void => {
  const memory = memoryOf(room)
  const { tick } = room.state.game
  const due = memory.steers.filter((each) => each.tick <= tick)
  if (due.length === 0) return
  memory.steers = memory.steers.filter((each) => each.tick > tick)
  for (const { id, seq, x, z } of due) {
    const marble = room.state.marbles.get(id)
    // Numbers of the past would make the client apply again what is applied.
    if (marble === undefined || seq <= marble.seq) continue
    const to = shortened({ x, z })
    Object.assign(marble, { seq, headingX: to.x, headingZ: to.z })
  }
}

const takeShots = (room: MarblesRoom): void => {
  const memory = memoryOf(room)
  const { tick } = room.state.game
  // The history has a tick when it is over.
  const due = memory.shots.filter((each) => each.tick < tick)
  if (due.length === 0) return
  memory.shots = memory.shots.filter((each) => each.tick >= tick)
  for (const { id, ...seen } of due) {
    const marble = room.state.marbles.get(id)
    if (marble !== undefined) shoot(room, marble, seen)
  }
}

/** A shot of which the player saw the world at a tick. */
const shoot = (
  room: MarblesRoom,
  marble: Marble,
  seen: { readonly tick: number; readonly x: number; readonly z: number }
): void => {
  const { tick } = room.state.game
  const length = Math.hypot(seen.x, seen.z)
  if (tick < marble.loadedTick || !(length > 0) || length === Infinity) return
  marble.loadedTick = tick + LoadTicks
  const dir = { x: seen.x / length, y: 0, z: seen.z / length }
  const atTick = Math.max(seen.tick, tick - SeenTicks)
  const { hit, units } = room.physics.rewind(atTick, (past) => {
    const origin = past.body("marbles", marble.id)?.position ?? marble
    const except = { collection: "marbles", id: marble.id } as const
    const ray = { origin: { x: origin.x, y: origin.y, z: origin.z }, dir }
    const found = past.castRay(ray, { maxDistance: ShotUnits, except })
    return { hit: found?.body?.id ?? 0, units: found?.distance ?? ShotUnits }
  })
  room.broadcast("shot", { from: marble.id, hit, x: dir.x, z: dir.z, units })
  // The picture is of then; the push is for the marble as it is now.
  const body = hit === 0 ? undefined : world.bodyOf(room, "marbles", hit)
  if (body === undefined) return
  const push = ShotSpeed * body.mass()
  body.applyImpulse({ x: dir.x * push, y: 0.15 * push, z: dir.z * push }, true)
  memoryOf(room).touches.set(hit, { by: marble.id, tick })
  if (!room.state.game.pause) marble.score += HitScore
}

const noteTouches = (room: MarblesRoom): void => {
  const { touches } = memoryOf(room)
  const { tick } = room.state.game
  const all = [...room.state.marbles]
  for (const a of all) {
    for (const b of all) {
      if (a === b || Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z) > 2.1 * MarbleRadius) continue
      touches.set(a.id, { by: b.id, tick })
    }
  }
}

const fall = (room: MarblesRoom, marble: Marble): void => {
  const { game } = room.state
  const { touches } = memoryOf(room)
  const touch = touches.get(marble.id)
  touches.delete(marble.id)
  const isPushed = touch !== undefined && game.tick - touch.tick <= TouchTicks
  const by = isPushed ? room.state.marbles.get(touch.by) : undefined
  if (by !== undefined && !game.pause) by.score += FallScore
  room.broadcast("fell", { marble: marble.id, by: by?.id ?? 0 })
  putAtStart(room, marble)
}

/** Back to its place, from some height: the others see it come. */
const putAtStart = (room: MarblesRoom, marble: Marble): void => {
  const { x, z } = startOf(marble.seat)
  const still = { x: 0, y: 0, z: 0 }
  const body = world.bodyOf(room, "marbles", marble)
  body?.setTranslation({ x, y: 4, z }, true)
  body?.setLinvel(still, true)
  body?.setAngvel(still, true)
}

const beginRound = (room: MarblesRoom): void => {
  const { game, marbles: all } = room.state
  Object.assign(game, { endsTick: game.tick + RoundTicks, pause: false, winner: 0 })
  for (const marble of all) {
    marble.score = 0
    putAtStart(room, marble)
  }
  memoryOf(room).touches.clear()
}

const endRound = (room: MarblesRoom): void => {
  const { game, marbles: all } = room.state
  const best = Math.max(0, ...Array.from(all, ({ score }) => score))
  const first = [...all].filter(({ score }) => score === best)
  // With equal scores nobody has won.
  const winner = best > 0 && first.length === 1 ? first[0] : undefined
  if (winner !== undefined) winner.wins += 1
  Object.assign(game, { endsTick: game.tick + PauseTicks, pause: true, winner: winner?.id ?? 0 })
}

interface Player {
  readonly client: string
  readonly playerId: string
  readonly name: string
}

const addMarble = (room: MarblesRoom, player: Player): void => {
  const taken = new Set(Array.from(room.state.marbles, ({ seat }) => seat))
  const seat = Starts.findIndex((_, place) => !taken.has(place))
  const { x, z } = startOf(seat)
  room.state.marbles.add({ ...player, seat, x, y: MarbleRadius, z })
}

const startOf = (seat: number) => Starts[seat] ?? { x: 0, z: 0 }

/** Somebody who is alone gets a bot, and a bot that is alone goes. */
const inviteBot = (room: MarblesRoom): void => {
  const [one, other] = room.state.marbles
  if (one === undefined || other !== undefined) return
  if (isBot(one)) room.state.marbles.remove(one.id)
  else addMarble(room, { client: "", playerId: "bot", name: "Bot" })
}

const dismissBot = (room: MarblesRoom): void => {
  const bot = [...room.state.marbles].find(isBot)
  if (bot !== undefined) room.state.marbles.remove(bot.id)
}

const driveBot = (room: MarblesRoom): void => {
  const bot = [...room.state.marbles].find(isBot)
  if (bot === undefined) return
  const target = nearestTo(bot, room.state.marbles)
  const { x, z } = botHeading(bot, target)
  Object.assign(bot, { headingX: x, headingZ: z })
  const { tick } = room.state.game
  if (target === undefined || !botShoots({ bot, target, chance: room.random() })) return
  shoot(room, bot, { tick: tick - 1, x: target.x - bot.x, z: target.z - bot.z })
}

const isBot = ({ client }: Marble): boolean => client === ""

const marbleOf = (room: MarblesRoom, client: MarblesClient): Marble | undefined =>
  [...room.state.marbles].find((marble) => marble.client === client.id)

// 16 characters are at most the 64 bytes that the schema allows.
const shortName = (name: string): string => [...name].slice(0, 16).join("").toWellFormed()
