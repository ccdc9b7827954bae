import type { ClientRoom } from "@atrium/sdk/client"
import { predict } from "@atrium/sdk/predict"

import type { marbles } from "./schema.ts"
import { type Heading, steer, world } from "./World.ts"

export type MarblesState = ClientRoom<typeof marbles>["state"]
export type SeenMarble = NonNullable<ReturnType<MarblesState["marbles"]["get"]>>

/** The own marble; `undefined` = the room has not told of it yet. */
export const ownIn = (room: ClientRoom<typeof marbles>): SeenMarble | undefined =>
  [...room.state.marbles].find(({ client }) => client === room.sessionId)

/** Simulates the marbles ahead of the room: the own one with what the player does, the others with what they did last. */
export const predictMarbles = (room: ClientRoom<typeof marbles>) => {
  let wish: Heading = { x: 0, z: 0 }
  let steppedTick = 0
  /** After a correction the ticks since then are simulated anew: from what the room has told. */
  const follow = (tick: number): void => {
    const told = ownIn(room)
    const goesOn = tick === steppedTick || tick === steppedTick + 1
    if (!goesOn && told !== undefined) wish = { x: told.headingX, z: told.headingZ }
    steppedTick = tick
  }
  return predict(room, {
    physics: world,
    tick: ({ game }) => game.tick,
    own: { marbles: ({ client }) => client === room.sessionId },
    acked: () => ownIn(room)?.seq ?? 0,
    apply(heading: Heading, { tick }) {
      follow(tick)
      wish = heading
    },
    onTick(made) {
      follow(made.tick)
      const own = ownIn(room)
      for (const marble of room.state.marbles) {
        const told = { x: marble.headingX, z: marble.headingZ }
        steer(made.bodyOf("marbles", marble), marble.id === own?.id ? wish : told)
      }
    },
    // A marble that comes back to its place does not fly there.
    jumpUnits: 3
  })
}

export type MarblesPrediction = Awaited<ReturnType<typeof predictMarbles>>
