import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { type RoomStage, backAfter } from "../../trial/RoomStage.ts"

interface Filling {
  readonly stage: RoomStage
  readonly room: string
  readonly client: RoomSocket
  readonly bytes: number
  readonly kind?: "buffer" | "array" | "wasm"
}

/** The client after its room took more memory than it may have, and was started again. */
export const restarted = async ({
  stage,
  room,
  client,
  bytes,
  kind
}: Filling): Promise<RoomSocket> => {
  const before = client.welcomes().at(-1)
  if (before === undefined) throw new Error("fill a room that the client has joined")
  client.say("fill", { bytes, kind: kind ?? "buffer" })
  return backAfter(stage, { client, room, before })
}
