import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type whose code fails as it starts. */
export const broken = defineSchema({
  type: "broken",
  singletons: { nothing: { value: s.bool() } }
})

export const brokenRoom = defineRoom(broken, {
  onCreate() {
    throw new Error("a secret of the developer's")
  }
})
