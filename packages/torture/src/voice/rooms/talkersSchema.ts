import { defineSchema } from "@atrium/sdk/schema"

/** A room in which many players talk. */
export const talkers = defineSchema({ type: "talkers", voice: { participants: 32 } })
