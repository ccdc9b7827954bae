import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import type { PredictedRoom } from "../../trial/FixtureProbe.ts"

/** The bodies of others, counted: simulated, kinematic proxies, and without a local collider. */
type Others = readonly [simulated: number, kinematic: number, without: number]

/** The client library predicts these rooms so, and refuses those. Own bodies are always simulated. */
export const predicts = (
  title: string,
  rooms: {
    readonly taken: ReadonlyArray<readonly [PredictedRoom, Others]>
    readonly refused: ReadonlyArray<PredictedRoom>
  }
): Probe => ({
  title,
  run: async ({ fixtures }) => {
    for (const [room, [simulated, kinematic, without]] of rooms.taken) {
      const answer = await fixtures.prediction(room)
      const says = JSON.stringify(room)
      if ("refused" in answer) return holds(`${says} is taken`, false, answer.refused)
      same(`others of ${says}`, answer.others, { simulated, kinematic, without })
      const all = { simulated: room.own, kinematic: 0, without: 0 }
      same(`own bodies of ${says}`, answer.own, all)
    }
    for (const room of rooms.refused) {
      const answer = await fixtures.prediction(room)
      holds(`${JSON.stringify(room)} is refused`, "refused" in answer, answer)
    }
  }
})
