import { Context } from "effect"

/**
 * Set while a line of room code is logged. Such lines have limits of their own, by room and by
 * project: no guard on repeated lines counts them. Source: C-174.
 */
export const RoomLine = Context.Reference<boolean>("@atrium/actors/rooms/RoomLine", {
  defaultValue: () => false
})
