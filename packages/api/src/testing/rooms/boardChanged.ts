import { defineSchema, s } from "@atrium/sdk/schema"

/** The board of boardSchema.ts with another schema: what was stored of it is of no use. */
export const board = defineSchema({
  type: "board",
  reconnectForMs: 800,
  entities: { shapes: { x: s.u16() } }
})
