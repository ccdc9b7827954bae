import { isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, same, Untestable } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { dayMs } from "../tables/Units.ts"
import { JoinRefused } from "../trial/RoomSocket.ts"
import { mintIdentity } from "../trial/RoomSockets.ts"
import { roomStage, stateOf } from "../trial/RoomStage.ts"

const years = 5
const waking = () => rowOf("error", "memory.server.refuses-new").outcome

/** Versions of room code. */
export const deploymentChecks: ReadonlyArray<Check> = [
  {
    ids: ["retention.deployments"],
    title: "a version of years ago is still there: a generation of it is restored and runs",
    alone: true,
    timeoutMs: 60_000,
    run: async (trial) => {
      same("how long they are kept", rowOf("keep", "retention.deployments").forMs, "forever")
      const stage = await roomStage(trial)
      const { secret } = await stage.project.key("rooms:write")
      const client = await stage.client("old")
      await client.call("add", { by: 7 })
      await client.call("save")
      const [saveId] = await stage.saves("old")
      if (saveId === undefined) throw new Untestable("no generation was kept")
      await client.call("addDurably", { by: 100 })
      await client.leave()
      await stage.asleep("old")
      await stage.deploy("next")
      for (let year = 0; year < years; year++) await trial.control.advance(365 * dayMs)
      const restore = {
        method: "POST",
        bearer: secret,
        body: trial.codecs.restoreBody(saveId)
      } as const
      isSuccess(await stage.ask("/old/restore", restore))
      const token = await mintIdentity(trial, stage.project)
      const state = await trial.until("the state of the first version", async () => {
        // Who comes while the room restarts is told to come again.
        const player = await stage.client("old", { token }).catch((cause: unknown) => {
          if (cause instanceof JoinRefused && cause.code === waking().code) return null
          throw cause
        })
        if (player === null) return null
        const read = await stateOf(player)
        await player.leave()
        return read.value < 100 ? read : null
      })
      same("what it holds", state.value, 7)
      holds("it did not begin anew", state.created === 1, state)
    }
  }
]
