import { oneOf } from "../../check/Expect.ts"
import type { AudienceStage } from "../../trial/AudienceStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { refusedJoin } from "../RefusedJoin.ts"

/** Somebody who is refused in that room with that credential, as a viewer or as anybody else. */
export const keptOut = async (
  trial: Trial,
  audience: AudienceStage,
  { room, token, what }: { readonly room: string; readonly token: string; readonly what: string }
): Promise<void> => {
  const refusal = await refusedJoin(await audience.stage.socket(room), { token, type: null })
  const { closes } = trial.codecs.room
  trial.chosen("D-24", () =>
    oneOf(`the close for ${what}`, refusal.close, [closes.unauthenticated, closes.projectMismatch])
  )
}
