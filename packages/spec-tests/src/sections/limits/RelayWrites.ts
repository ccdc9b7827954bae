import { type Outcome, taken } from "../../families/Outcome.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { CallRefused } from "../../trial/SocketError.ts"

/** The outcome of a write, and of the connection. */
export const outcomeOf = async (
  client: RoomSocket,
  write: () => Promise<unknown>
): Promise<Outcome> => {
  try {
    await write()
    return taken
  } catch (cause) {
    if (!(cause instanceof CallRefused)) throw cause
    const open = client.isOpen() ? ({ close: "open" } as const) : {}
    return { taken: false, refused: { code: cause.code, ...open } }
  }
}

/** The code that refuses a write, or `taken`. */
export const codeOf = (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => "taken",
    (cause: unknown) => {
      if (cause instanceof CallRefused) return cause.code
      throw cause
    }
  )

export const blobOf = async (client: RoomSocket, bytes: number): Promise<number> => {
  const fields = { bytes: new Uint8Array(bytes) }
  const [key = 0] = await client.relay.write({ op: "add", collection: "blobs", fields })
  return key
}
