import { type AnyRoomSchema, defineSchema, s } from "@atrium/sdk/schema"

import type { Scenario } from "../scenario/Scenario.ts"

/** Bytes around the one field of a patch, and around that of a message: their frames and places. */
const around = { patch: 8, message: 6 } as const

/** Sizes of the fields that make a game as large as a scenario says. */
const sizesOf = ({ game }: Scenario) => {
  const moving = Math.max(1, game.patchBytes - around.patch)
  return {
    moving,
    resting: Math.max(1, game.stateBytes - moving),
    said: Math.max(1, game.up.bytes - around.message)
  }
}

export const validatedType = "validated"

/** The schema of a game that does what a scenario says, and nothing else. */
export const validatedSchema = (scenario: Scenario): AnyRoomSchema => {
  const { moving, resting, said } = sizesOf(scenario)
  const { maxClients, tickHz, hibernateAfter } = scenario.game
  return defineSchema({
    type: validatedType,
    class: scenario.game.class,
    maxClients,
    tickHz,
    hibernateAfterMs: hibernateAfter,
    singletons: { moving: { data: s.bytes(moving) }, resting: { data: s.bytes(resting) } },
    messages: { say: { data: s.bytes(said) } }
  })
}

/** Its room code: every tick changes one field, and a snapshot has another one, which no compression makes smaller. */
export const validatedRoom = (scenario: Scenario): string => {
  const { moving, resting, said } = sizesOf(scenario)
  const { maxClients, tickHz, hibernateAfter } = scenario.game
  const change = `room.state.moving.data = Uint8Array.from({ length: ${moving} }, () => room.random.int(256))`
  return `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const game = defineSchema({
  type: "${validatedType}",
  class: "${scenario.game.class}",
  maxClients: ${maxClients},
  tickHz: ${tickHz},
  hibernateAfterMs: ${hibernateAfter},
  singletons: { moving: { data: s.bytes(${moving}) }, resting: { data: s.bytes(${resting}) } },
  messages: { say: { data: s.bytes(${said}) } }
})

export const room = defineRoom(game, {
  onCreate(room) {
    room.state.resting.data = Uint8Array.from({ length: ${resting} }, () => room.random.int(256))
  },
  ${tickHz > 0 ? `onTick(room) { ${change} }` : `onMessage: { say(room) { ${change} } }`}
})
`
}
