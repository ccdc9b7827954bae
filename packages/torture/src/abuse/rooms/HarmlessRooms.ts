import { defineRoom } from "@atrium/sdk/room"

import { crowd, lineChars } from "./crowdSchema.ts"

const blob = new Uint8Array(65_535)

/** As much work as HostileRooms.ts makes, without an attack in it. */
export const crowdRoom = defineRoom(crowd, {
  onTick(room) {
    if (room.id === "stacks") room.log.error(new Error("harmless").stack ?? "")
    if (room.id === "lines") room.log.info("harmless ".repeat(lineChars / 9))
    if (room.id === "frames") room.broadcast("blob", { data: blob })
  }
})
