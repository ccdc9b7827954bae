import type { Hello, RoomSocket } from "./RoomSocket.ts"
import { roomStage, type RoomStage } from "./RoomStage.ts"
import { CallRefused } from "./SocketError.ts"
import type { Trial } from "./Trial.ts"

/** The type of the fixture `relay` that holds as many clients as relay rooms take. */
export const board: Hello = { type: "board" }

/** A stage with the fixture `relay`; of a project that has a card, where the plan can be set. */
export const relayStage = async (trial: Trial): Promise<RoomStage> => {
  const stage = await roomStage(trial, "relay")
  if (trial.control.has("plan")) await trial.control.plan(stage.project.id, "card")
  return stage
}

/** A check's run on a stage with the fixture `relay`. */
export const withRelayRooms =
  (run: (stage: RoomStage, trial: Trial) => Promise<void>) =>
  async (trial: Trial): Promise<void> =>
    run(await relayStage(trial), trial)

/** Refusals for the pace of earlier writes; a write waits and is sent again. */
const allowances: ReadonlySet<string> = new Set(["E_RATE_LIMITED", "E_WRITE_RATE"])

/** Until what limits the pace of writes lets it through; other refusals are thrown. */
export const patiently = <A>(trial: Trial, write: () => Promise<A>): Promise<A> =>
  trial.until("the pace of writes allows one more", async () => {
    try {
      return await write()
    } catch (cause) {
      if (cause instanceof CallRefused && allowances.has(cause.code)) return null
      throw cause
    }
  })

/** Bytes of the room's encoded state, as a new client is welcomed with it. */
export const stateBytesOf = async (stage: RoomStage, room: string): Promise<number> => {
  const client = await stage.socket(room)
  const { stateBytes } = await client.join(board)
  await client.leave()
  return stateBytes
}

/** All that was sent before has been read by the service, and what it sent has come to the other. */
export const settled = async (sender: RoomSocket, other: RoomSocket): Promise<void> => {
  await sender.ping()
  await other.ping()
}
