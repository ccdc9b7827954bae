import { brought } from "../../check/Expect.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** The project's new join secret. */
export const secretOf = async (trial: Trial, { project }: RoomStage): Promise<string> => {
  const path = trial.codecs.joinSecretPath(project.id)
  const answer = await trial.send({ method: "POST", path, bearer: project.login, body: {} })
  return brought("a new join secret", answer, trial.codecs.joinSecret(answer.json))
}
