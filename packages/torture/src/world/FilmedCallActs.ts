import { SecondMs } from "@atrium/wire/limits/Limit"

import { type Act, crowd, type Weighed } from "./Acts.ts"
import { clips, recordings } from "./ReplayActs.ts"
import { conference } from "./VoiceActs.ts"

/** By then a recording has stored its first chunk. */
const firstChunkMs = 5500

/** The media die while the store stands still, and people talk in rooms that record themselves. */
const bothFail: Act = (scene, chance) => {
  const { world } = scene
  const { door, outside, calls, games } = world
  const joinMs = SecondMs + chance.below(3 * SecondMs)
  const talkMs = firstChunkMs + chance.below(3 * SecondMs)
  const stallMs = 2 * SecondMs + chance.below(20 * SecondMs)
  const killMs = chance.below(stallMs)
  const inTurn: ReadonlyArray<readonly [ms: number, happens: () => void]> = [
    [joinMs, () => [recordings, conference, clips, conference].map((act) => act(scene, chance))],
    [joinMs + talkMs, () => door.stall(stallMs)],
    [
      joinMs + talkMs + killMs,
      () => {
        const lost = calls.busy.reduce((sum, media) => sum + media.kill(), 0)
        if (lost > 0 && games.replays.running > 0) world.filmedCallsLost++
      }
    ]
  ]
  for (const [ms, happens] of inTurn) {
    outside.after(ms, () => {
      if (!world.calm) happens()
    })
  }
  return `${crowd(scene, chance)}; all media die while the store stands still for ${stallMs} ms`
}

/** What goes wrong in worlds with replays and calls, each with its relative frequency among the mishaps. */
export const filmedCallMishaps: ReadonlyArray<Weighed> = [{ weight: 60, act: bothFail }]
