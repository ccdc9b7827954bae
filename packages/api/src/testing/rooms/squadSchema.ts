import { defineSchema, s } from "@atrium/sdk/schema"

export const squad = defineSchema({
  type: "squad",
  queue: "trio",
  maxClients: 3,
  entities: { players: { name: s.string(64), team: s.i8(), party: s.string(32) } },
  rpc: { client: { ask: { args: { seats: s.u8() } } } }
})
