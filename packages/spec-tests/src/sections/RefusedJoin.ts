import { Mismatch } from "../check/Expect.ts"
import { type RoomSocket, type Hello, JoinRefused } from "../trial/RoomSocket.ts"

/** How a join ends that must not succeed. */
export const refusedJoin = async (socket: RoomSocket, hello?: Hello): Promise<JoinRefused> => {
  try {
    const { clientId } = await socket.join(hello)
    throw new Mismatch("the join", { expected: "a refusal", actual: `joined as ${clientId}` })
  } catch (cause) {
    if (cause instanceof JoinRefused) return cause
    throw cause
  }
}
