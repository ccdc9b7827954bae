import type { PlayedCall } from "@atrium/actors/process/testing/MemoryRoomProcess"
import type { Chance } from "@atrium/api/testing/Chance"

import type { Act, Weighed } from "./Acts.ts"
import type { Scene } from "./Scene.ts"

const callsAtOnce = 3

type CallOf = (scene: Scene, room: string, chance: Chance) => PlayedCall

const clip: CallOf = ({ world }, room, chance) => world.games.replays.clip(room, chance.one(2))
const record: CallOf = ({ world }, room) => world.games.replays.record(room)
const stop: CallOf = ({ world }, room) => world.games.replays.stop(room)

/** Clients let their rooms make replays. */
const filming =
  (says: string, callOf: CallOf): Act =>
  (scene, chance) => {
    const playing = scene.clients.filter(({ plays }) => plays)
    if (playing.length === 0) return "nobody plays"
    const count = 1 + chance.below(callsAtOnce)
    for (let at = 0; at < count; at++) {
      const client = chance.pick(playing)
      client.play(callOf(scene, client.room ?? "", chance))
    }
    return `${count} rooms ${says}`
  }

export const clips = filming("make a clip", clip)
export const recordings = filming("begin a recording", record)
const stops = filming("end their recording", stop)

/** The store stands still for longer than a recording waits for it. */
const stalled: Act = (scene, chance) => {
  const told = [recordings, clips].map((act) => act(scene, chance))
  const ms = 2000 + chance.below(20_000)
  scene.world.door.stall(ms)
  return `${told.join(", ")}, and the store stands still for ${ms} ms`
}

/** Answers of the store get lost while rooms make replays. */
const lostAnswers: Act = (scene, chance) => {
  const oneIn = 1 + chance.below(3)
  scene.world.door.flicker(oneIn, 500 + chance.below(8000))
  const told = [clips, recordings, clips, stops].map((act) => act(scene, chance))
  return `the store fails once in ${oneIn}, and ${told.join(", ")}`
}

/** Replays of rooms, each with its relative frequency among the acts of games. */
export const replayActs: ReadonlyArray<Weighed> = [
  { weight: 16, act: clips },
  { weight: 12, act: recordings },
  { weight: 4, act: stops }
]

/** What goes wrong in worlds with replays, each with its relative frequency among the mishaps. */
export const replayMishaps: ReadonlyArray<Weighed> = [
  { weight: 8, act: stalled },
  { weight: 8, act: lostAnswers }
]
