import { defineRoom } from "@atrium/sdk/room"

import { crowd, lineChars } from "./crowdSchema.ts"

/** Put into the bundle by the run: writes bytes to the service that are no frame of the runtime. */
const toService = (bytes: Uint8Array): void => Reflect.get(globalThis, "toService")(bytes)

const MiB = 1024 * 1024
/** The longest frame that the service takes unasked: one MiB less than announced comes of it. */
const announcedMiB = 16
const piece = new Uint8Array(MiB)

/** A stack to be mapped with a source map that is a bomb, lines that hold up a pattern, frames without end. */
export const crowdRoom = defineRoom(crowd, {
  onTick(room, { tick }) {
    if (room.id === "stacks") room.log.error(new Error("hostile").stack ?? "")
    if (room.id === "lines") room.log.info(`Error\n    at ${"sdk@".repeat(lineChars / 4)}`)
    if (room.id === "frames") {
      if (tick === 1) toService(new Uint8Array(new Uint32Array([announcedMiB * MiB]).buffer))
      else if (tick <= announcedMiB) toService(piece)
    }
  }
})
