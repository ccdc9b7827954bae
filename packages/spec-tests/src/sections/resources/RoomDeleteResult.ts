import { textField, wholeField } from "../Literals.ts"
import { section, tierB, tierC } from "../Section.ts"

/** Lines 57 to 58 of the specification: Room delete result. */
export const roomDeleteResultSection = section("Resources and their fields / Room delete result", {
  "rooms.delete.result.roomId": tierB(57, "delete result carries roomId", {
    shape: {
      of: "DELETE /v1/projects/:id/rooms/:roomId",
      fields: { roomId: textField, objects: wholeField },
      exact: true
    },
    provedBy: "state.room.force-delete#removes"
  }),
  "rooms.delete.result.objects": tierC(
    58,
    "delete result carries the count of stored objects removed",
    {
      hooks: ["fixture", "storage"],
      literalsOf: "rooms.delete.result.roomId",
      provedBy: "state.room.delete-asleep.all-versions"
    }
  )
})
