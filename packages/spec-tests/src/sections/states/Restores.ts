import { type RoomStage, stateOf } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** A room with `value` in its newest generation, 100 more in its state, and a client. */
export const changedSinceSave = async (stage: RoomStage, room: string, value: number) => {
  const client = await stage.client(room)
  await client.call("add", { by: value })
  await client.call("save")
  const [saveId = ""] = await stage.saves(room)
  await client.call("addDurably", { by: 100 })
  return { client, saveId }
}

/** The room's state once the restore has taken effect: its clients are sent away before. */
export const restored = async (trial: Trial, stage: RoomStage, room: string) =>
  trial.until("the restored state", async () => {
    const client = await stage.rejoin(room)
    const state = await stateOf(client)
    if (state.value < 100) return state
    await client.leave()
    return null
  })
