import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** From now on time stands still but for what the check advances. */
export const held = async (trial: Trial): Promise<void> => {
  await trial.control.hold(true)
  trial.later(() => trial.control.hold(false))
}

/** Advances to a moment of the service's clock. */
export const advanceTo = async (trial: Trial, atMs: number): Promise<void> => {
  const nowMs = await trial.control.nowMs()
  await trial.control.advance(Math.ceil(atMs - nowMs))
}

export const momentOf = async (stage: RoomStage, room: string, field: string): Promise<number> =>
  Date.parse(String((await stage.detail(room))[field]))
