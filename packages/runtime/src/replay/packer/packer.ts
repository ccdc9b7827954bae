/**
 * The code of the process that packs chunks of replays: a bundle of the service's own, which `boot.ts` runs as it runs a
 * room's. What it reads was made by rooms, so that it may be anything.
 */
import { fromDescriptor } from "@atrium/wire/schema/FromDescriptor"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { RuntimePort } from "../../host/RuntimePort.ts"
import { messageOf } from "../../room/ErrorText.ts"
import { PackerFrames, readPackOrder } from "./PackerFrames.ts"
import { packFootage, type RoomChunkBytes } from "./PackFootage.ts"

/** `boot.ts` calls it. */
export const connect = (port: RuntimePort): ((kind: number, payload: Uint8Array) => void) => {
  let schema: AnyRoomSchema | null = null
  const pack = async (chunk: RoomChunkBytes) => {
    if (port.compression === undefined) throw new Error("the process cannot compress")
    if (schema === null) throw new Error("a chunk came before its schema")
    return packFootage(port.compression, schema, chunk)
  }
  return (kind, payload) => {
    const order = readPackOrder(kind, payload)
    if (order?._tag === "Schema") schema = fromDescriptor(order.descriptor)
    if (order?._tag !== "Pack") return
    pack(order.chunk).then(
      (chunk) => port.send(PackerFrames.packed(order.id, chunk)),
      (error: unknown) => port.send(PackerFrames.refused(order.id, messageOf(error)))
    )
  }
}

/** As a bundle of rooms has them. */
export const rooms = {}
