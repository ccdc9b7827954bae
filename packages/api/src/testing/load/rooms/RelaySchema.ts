import { defineSchema } from "@atrium/sdk/schema"

/** W1: a room without code, whose clients send to each other. Deployed alone. */
export const signal = defineSchema({ type: "signal", maxClients: 64 })
