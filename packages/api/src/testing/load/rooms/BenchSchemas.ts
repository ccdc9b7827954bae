import { defineSchema, s } from "@atrium/sdk/schema"

/** Room types of the bench. Each is the least that its workload needs. */

const awakeForMs = 10 * 60_000
/** How long a room that is to sleep stays awake without clients. */
const sleepyForMs = 100

const passing = {
  maxClients: 64,
  hibernateAfterMs: awakeForMs,
  messages: { say: { data: s.bytes(64) } }
} as const

/** W1: passes messages on. */
export const relay = defineSchema({ type: "relay", ...passing })

/** W1: the same in rooms that share a process. */
export const sharedRelay = defineSchema({ type: "shared-relay", ...passing })

/** W8: the room of W1 that records itself. What goes to the others alone is no part of its footage. */
export const filmedRelay = defineSchema({ type: "filmed-relay", ...passing, replay: {} })

/** W8: passes messages on to everybody. */
export const square = defineSchema({ type: "square", ...passing })

/** W8: the same, with each message in its footage. */
export const filmedSquare = defineSchema({ type: "filmed-square", ...passing, replay: {} })

/** W2: how many bodies move, and how often. */
export const bodies = 200
export const tickHz = 20

/** They sleep between two rounds, as a room that is awake ticks for nobody too. */
const moving = { maxClients: 64, tickHz, hibernateAfterMs: sleepyForMs } as const

/** W2: every field of every body changes with every tick. */
export const floats = defineSchema({
  type: "floats",
  ...moving,
  entities: { bodies: { x: s.f32(), y: s.f32(), vx: s.f32(), vy: s.f32() } }
})

/** W8: the same, with each tick in its footage. */
export const filmedFloats = defineSchema({
  type: "filmed-floats",
  ...moving,
  replay: {},
  entities: { bodies: { x: s.f32(), y: s.f32(), vx: s.f32(), vy: s.f32() } }
})

/** W2: the same with 251 values per field, which take one byte each. */
const step = () => s.quantised({ min: 0, max: 250, step: 1 })
export const quantised = defineSchema({
  type: "quantised",
  ...moving,
  entities: { bodies: { x: step(), y: step(), vx: step(), vy: step() } }
})

/** W2: the same bodies, of four teams. A rule says which of them a client sees: those of its team, or all. */
export const teams = 4
const ofTeam = { bodies: { team: s.u8(), x: s.f32(), y: s.f32(), vx: s.f32(), vy: s.f32() } }
export const ownTeam = defineSchema({ type: "own-team", ...moving, entities: ofTeam })
export const allTeams = defineSchema({ type: "all-teams", ...moving, entities: ofTeam })

const resting = {
  maxClients: 1024,
  hibernateAfterMs: awakeForMs,
  reconnectForMs: 60_000,
  entities: { bodies: { x: s.f32(), y: s.f32(), vx: s.f32(), vy: s.f32() } }
} as const

/** W3: the state of W2 at rest. */
export const hall = defineSchema({ type: "hall", ...resting })

/** W3: the same in rooms that share a process. */
export const sharedHall = defineSchema({ type: "shared-hall", ...resting })

const idle = {
  maxClients: 1024,
  hibernateAfterMs: awakeForMs,
  singletons: { counter: { value: s.u32() } }
} as const

/** W4: a small room that does nothing. */
export const lounge = defineSchema({ type: "lounge", ...idle })

/** W4: the same in rooms that share a process. */
export const sharedLounge = defineSchema({ type: "shared-lounge", ...idle })

/** W4: the same, but it sleeps as soon as it is empty. */
export const nap = defineSchema({
  type: "nap",
  hibernateAfterMs: sleepyForMs,
  singletons: { counter: { value: s.u32() } }
})

/** W5: bytes of state, which no compression makes fewer. */
export const cellarBytes = 64 * 1024

const cellarShape = {
  singletons: { stock: { data: s.bytes(cellarBytes) } },
  rpc: { client: { store: {} } }
} as const

/** W5: a room with 64 KB of state that sleeps as soon as it is empty. */
export const cellar = defineSchema({
  type: "cellar",
  hibernateAfterMs: sleepyForMs,
  ...cellarShape
})

/** W5: the same, but it stays awake; `store` answers when state and generation are stored. */
export const busyCellar = defineSchema({
  type: "busy-cellar",
  hibernateAfterMs: awakeForMs,
  ...cellarShape
})

/** W7: the room of a match. */
export const duel = defineSchema({
  type: "duel",
  queue: "default",
  maxClients: 2,
  hibernateAfterMs: sleepyForMs,
  singletons: { counter: { value: s.u32() } }
})

/** W7: its code makes as many in-room calls of one kind as it is told to, one after another. */
export const clerk = defineSchema({
  type: "clerk",
  hibernateAfterMs: sleepyForMs,
  rpc: {
    client: {
      work: {
        args: { work: s.string(32), calls: s.u32(), from: s.u32() },
        returns: { done: s.u32() }
      }
    }
  }
})
