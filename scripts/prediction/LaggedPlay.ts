import { makeRandom } from "@atrium/runtime/room/SeededRandom"
import { predictBy } from "@atrium/sdk/predict/predict"
import { type HarnessNetwork, RoomHarness } from "@atrium/sdk/testing"

import { push, rink, rinkRoom, rinkWorld } from "./Rink.ts"

/** Round trips of 150 ms ± 50, and 5 of 100 frames held back by 200 ms, with all that come after them. */
const bad = { eachWayMs: 75, jitterMs: 25, heldShare: 0.05, heldMs: 200 } as const

interface Place {
  readonly x: number
  readonly z: number
}

type Places = ReadonlyMap<number, Place>

/** One frame that was drawn. */
interface DrawnFrame {
  readonly ms: number
  /** The moment of the room's time when an input of this frame gets there, in ticks. */
  readonly moment: number
  readonly drawn: Places
  /** The state as it had come, which is drawn without prediction. */
  readonly state: Places
}

/** A play of one player, with the room's own account of it. */
export interface LaggedPlay {
  /** The player's ball. */
  readonly own: number
  readonly frames: ReadonlyArray<DrawnFrame>
  readonly corrections: number
  readonly seconds: number
  /** Where the room had a ball at a moment between two ticks. */
  truth(id: number, moment: number): Place | undefined
}

interface Plan {
  readonly seed: number
  readonly seconds: number
  /** Balls of nobody. */
  readonly balls: number
}

const frameMs = 1000 / 60
/** The player pushes the ball four times a second. */
const pushFrames = 15
/** The first second is not counted: the client does not know the way yet. */
const warmFrames = 60

/** Plays in virtual time. The same seed is the same play. */
export const laggedPlay = async ({ seed, seconds, balls }: Plan): Promise<LaggedPlay> => {
  const { random: chance } = makeRandom([seed, 1, 2, 3])
  const truth = new Map<number, Places>()
  const stage = await stageOf(
    new RoomHarness(rinkRoom(balls, (tick, at) => truth.set(tick, at))),
    badNetwork(chance)
  )
  const { room, prediction, own } = stage
  const frames: Array<DrawnFrame> = []
  let before = 0
  for (let frame = 0; frame < warmFrames + seconds * 60; frame++) {
    await stage.pass(frameMs)
    if (frame % pushFrames === 0) {
      const at = prediction.pose("balls", own)?.position ?? { x: 0, z: 0 }
      // Back to the middle, so that the ball does not lie in a corner.
      const by = { x: 6 * (chance() - 0.5) - 0.2 * at.x, z: 6 * (chance() - 0.5) - 0.2 * at.z }
      room.send("push", { ...prediction.input(by), ...by })
    }
    prediction.update()
    if (frame < warmFrames) before = prediction.stats.corrections
    else frames.push({ ms: (frame - warmFrames) * frameMs, ...stage.look() })
  }
  const corrections = prediction.stats.corrections - before
  // The room gets to the last moments that were drawn.
  await stage.pass(1000)
  prediction.end()
  return { own, frames, corrections, seconds, truth: (id, moment) => between(truth, id, moment) }
}

const badNetwork = (chance: () => number): HarnessNetwork => ({
  delayMs: () =>
    bad.eachWayMs + bad.jitterMs * (2 * chance() - 1) + (chance() < bad.heldShare ? bad.heldMs : 0)
})

/** A client that has joined, and predicts. */
const stageOf = async (harness: RoomHarness<typeof rink>, network: HarnessNetwork) => {
  let nowMs = 0
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms
    await harness.advance(ms)
  }
  const joining = harness.client({ playerId: "ann" }, { network }).joinOrCreate(rink)
  await pass(2000)
  const room = await joining
  const own = [...room.state.balls].find(({ player }) => player === room.playerId)?.id ?? 0
  const prediction = await predictBy({ elapsedMs: () => nowMs }, room, {
    physics: rinkWorld,
    tick: ({ game }) => game.tick,
    own: { balls: ({ player }) => player === room.playerId },
    acked: ({ balls }) => balls.get(own)?.seq ?? 0,
    apply: (by: Place, made) => push(made.bodyOf("balls", own), by)
  })
  const look = (): Omit<DrawnFrame, "ms"> => {
    const [drawn, state] = [new Map<number, Place>(), new Map<number, Place>()]
    for (const { id, x, z } of room.state.balls) {
      const pose = prediction.pose("balls", id)
      if (pose !== undefined) drawn.set(id, pose.position)
      state.set(id, { x, z })
    }
    return { moment: prediction.moment, drawn, state }
  }
  return { room, prediction, own, pass, look }
}

const between = (
  truth: ReadonlyMap<number, Places>,
  id: number,
  moment: number
): Place | undefined => {
  const tick = Math.floor(moment)
  const [a, b] = [truth.get(tick)?.get(id), truth.get(tick + 1)?.get(id)]
  if (a === undefined || b === undefined) return undefined
  const share = moment - tick
  return { x: a.x + (b.x - a.x) * share, z: a.z + (b.z - a.z) * share }
}
