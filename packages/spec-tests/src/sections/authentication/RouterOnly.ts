import { Mismatch } from "../../check/Expect.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** Where an address that stands for all of the machine is reached from this machine. */
const reachable = (address: string): string =>
  address.replace(/^0\.0\.0\.0:/, "127.0.0.1:").replace(/^\[0(?::0){7}\]:/, "[::1]:")

/** The session of a client that says hello at an address; `null` = it is not let in. */
export const joinedAt = async (
  trial: Pick<Trial, "socket">,
  stage: RoomStage,
  address: string
): Promise<unknown> => {
  const at = reachable(address)
  const { project } = stage
  const socket = await trial.socket({ project, room: "guarded", at }).catch(() => null)
  if (socket === null) return null
  return socket.join().then(
    ({ clientId }) => clientId,
    (cause: unknown) => {
      if (cause instanceof Mismatch) return null
      throw cause
    }
  )
}
