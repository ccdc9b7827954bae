import { count } from "../limits/Limit.ts"

/** Physics worlds, as schemas and room code know them. Source: spec Connection and room limits. */
export const PhysicsLimits = {
  physicsHistory: count("Body-pose history ticks that a room type may declare", {
    max: 240,
    per: "room type",
    past: "definition throws"
  }),
  physicsChannels: count("History channels of a physics collection", {
    max: 8,
    per: "collection",
    past: "definition throws"
  })
} as const
