import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

export const escapes = defineSchema({
  type: "escapes",
  singletons: { one: { a: s.bool() } }
})

/** A room that logs escapes for the terminal of a reader, and then does not start. */
export const escapesRoom = defineRoom(escapes, {
  onCreate(room) {
    room.log.info("\u001b]0;title\u0007\u009b2J\u202e")
    throw new Error("gone\nlevel=ERROR message=forged")
  }
})
