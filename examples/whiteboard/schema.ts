import { defineSchema, s } from "@atrium/sdk/schema"

/** The paper's own units; windows show it as large as they can. */
export const Paper = { width: 1600, height: 900 } as const
export const Inks = ["ink", "sea", "leaf", "brick", "sun"] as const
/** A stroke is at most so many corners. */
export const CornersMax = 200
export const NoteBytesMax = 280

// No room code: the service's own rooms hold this, and clients write it.
export const whiteboard = defineSchema({
  type: "whiteboard",
  maxClients: 32,
  retention: "30d",
  entities: {
    // x, y, x, y …
    strokes: { ink: s.enum(...Inks), corners: s.list(s.u16(), 2 * CornersMax) },
    notes: { x: s.u16(), y: s.u16(), ink: s.enum(...Inks), text: s.string(NoteBytesMax) }
  }
})
