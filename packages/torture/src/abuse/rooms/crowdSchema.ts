import { defineSchema, s } from "@atrium/sdk/schema"

/** The room of a project that shares its service with others, well-behaved or not. */
export const crowd = defineSchema({
  type: "crowd",
  maxClients: 8,
  tickHz: 20,
  messages: { blob: { data: s.bytes(65_535) } }
})

/** What a room of the crowd does with every tick; the id of the room names it. */
export const crowdRooms = ["stacks", "lines", "frames"] as const

/** The characters of one line that it logs: more than the service takes. */
export const lineChars = 24_000
