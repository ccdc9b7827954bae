import { fitsShape } from "../check/FitsShape.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { rowOf } from "./Section.ts"

export const badRequest = () => rowOf("error", "error.http.E_BAD_REQUEST")

/** The fields that a decision gives an answer, and no others. */
export const hasShape = (
  trial: Trial,
  { id, decision }: { readonly id: string; readonly decision: string },
  value: unknown
): void =>
  trial.chosen(decision, () =>
    // That there are no further fields is part of the same decision.
    fitsShape({ chosen: (_, assert) => assert() }, rowOf("shape", id), Object(value))
  )

/** A room with one generation. */
export const savedRoom = async (trial: Trial) => {
  const stage = await roomStage(trial)
  const client = await stage.client("saved")
  await client.call("add", { by: 1 })
  await client.call("save")
  const [saveId = ""] = await stage.saves("saved")
  return { stage, client, saveId }
}
