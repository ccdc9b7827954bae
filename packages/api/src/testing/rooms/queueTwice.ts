import { defineRoom } from "@atrium/sdk/room"
import { defineSchema } from "@atrium/sdk/schema"

// Two room types that name one queue: a deploy refuses them.

export const one = defineRoom(defineSchema({ type: "one", queue: "duel" }), {})
export const other = defineRoom(defineSchema({ type: "other", queue: "duel" }), {})
